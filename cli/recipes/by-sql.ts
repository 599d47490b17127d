/** Questions that the tables answer, in SQL that both databases speak. */
import { AGENT_DEVIATION } from '../../schemas/index.ts';
import { type Asked, type RecipeWish, sessionQuestion, sessionWord } from './recipe.ts';

/** `ask` wraps a statement for the tool; there is no double quote, backslash or backquote in any of them. */
export const sqlRecipes = (ask: (sql: string) => string, { config, session }: RecipeWish): readonly Asked[] => {
  const topic = config.topic();
  const recipe = (name: string, question: string, sql: string): Asked => ({ name, question, command: ask(sql) });
  return [
    recipe('adr', "the ADR's own query", `select * from session_events where type = '${AGENT_DEVIATION}'`),
    recipe('count', 'how many deviations are stored', 'select count(*) from v_agent_deviation'),
    recipe(
      'by-tipo',
      'how many of each kind',
      'select tipo, count(*) from v_agent_deviation group by tipo order by 2 desc, 1',
    ),
    recipe(
      'by-agente',
      'how many of each agent',
      'select agente, count(*) from v_agent_deviation group by agente order by 2 desc, 1',
    ),
    recipe(
      'by-day',
      'how many a day',
      'select day, sum(deviations) from v_agent_deviation_daily group by day order by 1',
    ),
    recipe(
      'session',
      `all ${sessionQuestion(session)}`,
      `select occurred_at, tipo, agente, id from v_agent_deviation where session_id = '${sessionWord(session)}' order by occurred_at, id`,
    ),
    recipe(
      'last',
      'the last ten',
      'select occurred_at, tipo, agente, session_id, id from v_agent_deviation order by occurred_at desc, id desc limit 10',
    ),
    recipe(
      'evidence',
      'the events that are named as evidence most often',
      'select evidence_event_id, count(*) from v_agent_deviation_evidence group by 1 order by 2 desc, 1 limit 10',
    ),
    recipe(
      'positions',
      'where each consumer stands, and since when',
      `select consumer, partition, next_offset, updated_at from stream_positions where topic = '${topic}' order by consumer, partition`,
    ),
    recipe(
      'quarantine',
      'what could not be stored, by reason',
      `select consumer, reason, count(*) from quarantine where topic = '${topic}' and state = 'open' group by 1, 2 order by 3 desc, 1, 2`,
    ),
    recipe(
      'losses',
      'what operators have given up',
      `select consumer, partition, from_offset, to_offset, why, adopted_at from position_losses where topic = '${topic}' order by adopted_at`,
    ),
  ];
};
