/** The screens of `doctor` and `status` for a pipeline of which some parts are not well. */
import { Readable, Writable } from 'node:stream';
import { exitCodeOf, runChecks } from '../../../cli/checkup/run.ts';
import type { Check } from '../../../cli/checkup/check.ts';
import type { Site } from '../../../cli/checkup/site.ts';
import { CHECKS } from '../../../cli/doctor/checks.ts';
import { renderFindings } from '../../../cli/output/findings.ts';
import { createScreen } from '../../../cli/output/screen.ts';
import { PARTS } from '../../../cli/status/parts.ts';
import { aGroup, aPosition, aReader, aSite, aTopic, ends, ENV, offsets, rejects } from '../../support/checkup-site.ts';
import { goldenScreens } from '../../support/screens.ts';

/** A sink that has stopped, one replica, open quarantine, a registry that is away. */
const site: Site = aSite(
  {
    topic: () => Promise.resolve(aTopic({ 'min.insync.replicas': '1' }, 1)),
    ends: () => Promise.resolve(ends([0, 1_234], [0, 20])),
    group: (consumer) => Promise.resolve(aGroup(consumer, consumer === 'sink' ? { members: 0, state: 'Empty' } : {})),
    positions: () =>
      Promise.resolve([
        aPosition('sink', 0, 10),
        aPosition('sink', 1, 20),
        aPosition('graph', 0, 1_234),
        aPosition('graph', 1, 20),
      ]),
    committed: () => Promise.resolve(offsets(10, 20)),
    registry: rejects('REGISTRY_UNREACHABLE'),
    reader: () =>
      Promise.resolve(
        aReader({
          openQuarantine: () =>
            Promise.resolve([
              { consumer: 'sink', reason: 'NOT_FRAMED', count: 2 },
              { consumer: 'sink', reason: 'HASH_CLASH', count: 1 },
            ]),
        }),
      ),
  },
  { ...ENV, OUTBOX_FILE: '/nowhere/outbox.db' },
);

const shownOf = (checks: readonly Check[]) => async (flags: readonly string[], columns: number) => {
  const stdout = Object.assign(new Writable(), { isTTY: true, columns });
  const io = { stdin: Readable.from([]), stdout, stderr: stdout, env: {}, stop: new AbortController().signal };
  const screen = createScreen(io, {
    color: flags.includes('always') ? 'always' : 'never',
    ascii: flags.includes('--ascii'),
  });
  const findings = await runChecks(checks, site, { settingsAreCheckedBy: 'configuration' });
  return { exitCode: exitCodeOf(findings), stdout: `${renderFindings(findings, screen).join('\n')}\n`, stderr: '' };
};

goldenScreens('doctor', shownOf(CHECKS));
goldenScreens('status', shownOf(PARTS));
