/** Places where a disk misbehaves: small, full, read-only. They need the right to mount; without it the reason is told. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const tried = (program: string, args: readonly string[]): string | undefined => {
  try {
    execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'], timeout: 10_000 });
    return undefined;
  } catch {
    return `${program} ${args[0] ?? ''} is not allowed here`;
  }
};

export interface SmallDisk {
  readonly path: string;
  /** Takes all the room there is, `leaveBytes` excepted. */
  fill(leaveBytes?: number): void;
  /** Gives it back. */
  empty(): void;
  readOnly(is: boolean): void;
  remove(): void;
}

/** A file system of its own, in memory. */
export const mountSmallDisk = (bytes: number): SmallDisk => {
  const path = mkdtempSync(join(tmpdir(), 'outbox-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', path]);
  const filler = join(path, 'filler');
  return {
    path,
    fill: (leaveBytes = 0) => {
      const { bavail, bsize } = statfsSync(path);
      writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - leaveBytes)));
    },
    empty: () => rmSync(filler, { force: true }),
    readOnly: (is) => void execFileSync('mount', ['-o', `remount,${is ? 'ro' : 'rw'}`, path]),
    remove: () => {
      // Lazily: a killed process may still be letting go of a file.
      execFileSync('umount', ['--lazy', path]);
      rmSync(path, { recursive: true, force: true });
    },
  };
};

const whyNoMounts = (): string | undefined => {
  const path = mkdtempSync(join(tmpdir(), 'outbox-disk-'));
  try {
    const refused = tried('mount', ['-t', 'tmpfs', '-o', 'size=65536', 'tmpfs', path]);
    if (refused === undefined) tried('umount', [path]);
    return refused;
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
};

/** Why no small disk can be had here; undefined when it can. */
export const noMounts = whyNoMounts();

/** `test`, or `test.skip` with its reason on stderr. */
export const unless = <T>(reason: string | undefined, what: string, run: T & { readonly skip: T }): T => {
  if (reason === undefined) return run;
  process.stderr.write(`${what} is skipped: ${reason}\n`);
  return run.skip;
};
