/** Where the tools of the recipes are, or why they are not there. */
import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { IMAGES } from '../../stack/images.ts';

const isHere = (tool: string): boolean => {
  try {
    execFileSync('bash', ['-c', `command -v ${tool}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

const isImageHere = (): boolean => {
  try {
    execFileSync('docker', ['image', 'inspect', IMAGES.kafka], { stdio: 'ignore', timeout: 10_000 });
    return true;
  } catch {
    return false;
  }
};

/** Why a tool cannot be tried, or undefined. */
export const whyNot = (...tools: readonly string[]): string | undefined => {
  const missing = tools.filter((tool) => !isHere(tool));
  return missing.length === 0 ? undefined : `${missing.join(', ')} not installed`;
};

const KAFKA_SCRIPTS = ['kafka-console-consumer', 'kafka-consumer-groups', 'kafka-get-offsets', 'kafka-topics'] as const;

export const whyNoKafkaScripts = (): string | undefined =>
  isHere('kafka-console-consumer.sh') || isImageHere()
    ? undefined
    : `no kafka-console-consumer.sh on PATH, and no image ${IMAGES.kafka}`;

/** Puts Kafka's scripts into the folder, each run in the broker's image on this machine's network, unless they are here. */
export const putKafkaScripts = (folder: string): void => {
  if (isHere('kafka-console-consumer.sh')) return;
  for (const script of KAFKA_SCRIPTS) {
    const file = join(folder, `${script}.sh`);
    const run = `docker run --rm -i --network host --entrypoint /opt/kafka/bin/${script}.sh ${IMAGES.kafka}`;
    writeFileSync(file, `#!/usr/bin/env bash\nexec ${run} "$@"\n`);
    chmodSync(file, 0o755);
  }
};
