/**
 * The versions of the servers, pinned here for the tests and the demo.
 * `docker-compose.yml` names the same images; compose-is-the-same.test.ts holds the two together.
 */
export const IMAGES = {
  kafka: 'apache/kafka:4.3.0',
  registry: 'apicurio/apicurio-registry:3.3.3',
  postgres: 'postgres:18',
} as const;
