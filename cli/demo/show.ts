/** What a maintainer would look at, from the database alone. */
import { addCounts, consumedCount, NO_OUTCOMES, type StoreReader } from '../../consumer/index.ts';
import type { Answer } from '../../producer/index.ts';
import { CONSUMERS } from '../../wire/index.ts';
import { countBy, renderBars } from '../output/bars.ts';
import { DEVIATION_SHAPE } from '../output/deviations.ts';
import { print } from '../output/format.ts';
import type { Screen } from '../output/screen.ts';

/** Word for word as the ADR gives it. */
export const ADR_QUERY = "select * from session_events where type = 'anamnese.agent_deviation'";

export interface Played {
  readonly answers: readonly Answer[];
  /** How many of them were the same call again. */
  readonly repeats: number;
  readonly projectable: number;
  readonly topic: string;
}

export const showDemo = async (reader: StoreReader, played: Played, screen: Screen): Promise<void> => {
  const say = (line = ''): Promise<void> => screen.print(line);
  const heading = screen.paint.bold;
  const deviations = await reader.deviations({});
  const recorded = played.answers.filter((answer) => answer.recorded).length;
  const refused = played.answers.length - recorded;

  await say(heading('The stored deviations, the newest first'));
  await say();
  await print({ records: deviations, ...DEVIATION_SHAPE }, screen, 'table');
  await say();
  await say(heading('By tipo'));
  for (const line of renderBars(
    countBy(deviations, ({ tipo }) => tipo),
    screen.glyphs,
  ))
    await say(line);
  await say();
  await say(heading('By agente'));
  for (const line of renderBars(
    countBy(deviations, ({ agente }) => agente),
    screen.glyphs,
  ))
    await say(line);
  await say();

  await say(heading('The accounting'));
  await say(`  reports   ${played.answers.length} = ${recorded} recorded + ${refused} refused`);
  await say(`  recorded  ${recorded} = ${recorded - played.repeats} events + ${played.repeats} the same call again`);
  const events = recorded - played.repeats;
  await say(
    `  topic     ${events + played.projectable} = ${events} deviations + ${played.projectable} projectable events`,
  );
  const positions = await reader.positions(played.topic);
  for (const consumer of CONSUMERS) {
    const counts = positions
      .filter((row) => row.consumer === consumer)
      .reduce((sum, row) => addCounts(sum, row.counts), NO_OUTCOMES);
    const { stored, duplicate, filtered, quarantined } = counts;
    await say(
      `  ${consumer.padEnd(8)}  ${consumedCount(counts)} consumed = ${stored} stored + ${duplicate} duplicate + ${filtered} filtered + ${quarantined} quarantined`,
    );
  }
  await say();

  const rows = await reader.select(ADR_QUERY);
  await say(heading("The ADR's own query"));
  await say(`  ${ADR_QUERY}`);
  await say(`  ${rows.length} rows`);
  await say();

  const graph = await reader.graphSize();
  const inGraph = await reader.select(
    'select 1 from graph_nodes n join session_events e on e.id = n.event_id union all select 1 from graph_edges g join session_events e on e.id in (g.event_id, g.level_event_id)',
  );
  await say(heading("The person's graph"));
  await say(
    `  ${graph.nodes} nodes and ${graph.edges} edges; ${inGraph.length === 0 ? 'none' : inGraph.length} of them made by a deviation`,
  );
};
