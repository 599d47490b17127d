import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { BROKER_ENVIRONMENT, DATABASE_ENVIRONMENT } from '../../../stack/docker/run.ts';
import { IMAGES } from '../../../stack/index.ts';

interface Service {
  readonly image: string;
  readonly hostname?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

// What is known of the file is what these tests check; a service that is missing fails them.
const { services } = parse(readFileSync(join(import.meta.dirname, '../../../docker-compose.yml'), 'utf8')) as {
  readonly services: Readonly<Record<string, Service>>;
};

test('every service of docker-compose.yml uses an image that the tests use', () => {
  expect(Object.fromEntries(Object.entries(services).map(([name, { image }]) => [name, image]))).toEqual({
    kafka: IMAGES.kafka,
    'kafka-init': IMAGES.kafka,
    registry: IMAGES.registry,
    postgres: IMAGES.postgres,
    ready: IMAGES.postgres,
  });
});

test('its broker has the settings of the test broker, but for the address that clients are told', () => {
  const { KAFKA_ADVERTISED_LISTENERS: told, ...settings } = services['kafka']?.environment ?? {};
  expect(settings).toEqual(BROKER_ENVIRONMENT);
  expect(told).toMatch(/^INTERNAL:\/\/kafka:9092,HOST:/);
  expect(services['kafka']?.hostname).toBe('kafka');
});

test('its registry has no settings, like that of the tests', () => {
  expect(services['registry']?.environment).toBeUndefined();
});

test('its database has the settings of the test database', () => {
  expect(services['postgres']?.environment).toEqual(DATABASE_ENVIRONMENT);
});
