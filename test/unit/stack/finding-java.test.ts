import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { findJava } from '../../../stack/local/java.ts';

const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'finding-java-')));
afterAll(() => rmSync(scratch, { recursive: true }));

let places = 0;
/** A folder with a Java of each of these versions, one below the other. */
const aFolderOf = (...versions: readonly string[]): string => {
  const folder = join(scratch, `place-${++places}`);
  mkdirSync(folder);
  for (const version of versions) {
    mkdirSync(join(folder, version, 'bin'), { recursive: true });
    writeFileSync(join(folder, version, 'release'), `IMPLEMENTOR="someone"\nJAVA_VERSION="${version}"\n`);
    // It tells its version, as a Java without a release file has to be asked for it.
    writeFileSync(join(folder, version, 'bin', 'java'), `#!/bin/sh\necho 'openjdk version "${version}"' >&2\n`);
    chmodSync(join(folder, version, 'bin', 'java'), 0o755);
  }
  return folder;
};

test('a Java that runs everything is preferred to one that is nearer and older', async () => {
  const near = aFolderOf('17.0.15', '11.0.2');
  const far = aFolderOf('1.8.0_402', '25');
  const environment = { JAVA_HOME: join(near, '17.0.15'), PATH: join(near, '11.0.2', 'bin') };
  expect(await findJava(environment, far)).toEqual({ command: join(far, '25', 'bin', 'java'), major: 25 });
});

test('among equals JAVA_HOME comes before the PATH, and the PATH before /usr/lib/jvm', async () => {
  const [first, second, third] = [aFolderOf('21.0.1'), aFolderOf('22.0.1'), aFolderOf('23.0.1')];
  const PATH = join(second, '22.0.1', 'bin');
  expect((await findJava({ JAVA_HOME: join(first, '21.0.1'), PATH }, third))?.major).toBe(21);
  expect((await findJava({ PATH }, third))?.major).toBe(22);
  expect((await findJava({}, third))?.major).toBe(23);
});

test('Java 17 will do when there is no newer one', async () => {
  expect((await findJava({}, aFolderOf('11.0.2', '17.0.15')))?.major).toBe(17);
});

test('a Java without a release file is asked for its version', async () => {
  const folder = aFolderOf('21.0.4');
  rmSync(join(folder, '21.0.4', 'release'));
  expect((await findJava({}, folder))?.major).toBe(21);
});

test('older ones count for nothing', async () => {
  expect(await findJava({ JAVA_HOME: join(scratch, 'nowhere') }, aFolderOf('1.8.0_402', '11.0.2'))).toBeUndefined();
});
