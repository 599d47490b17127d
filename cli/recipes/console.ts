/** The scripts that come with Kafka, by the words of 4.2 and later (`--formatter-property`, `--command-config`). */
import { accessOf, consoleAccess } from './broker-access.ts';
import { headerRecipes } from './by-headers.ts';
import { lagRecipes, type Recipe, recipesOf, type RecipeWish } from './recipe.ts';

/** How long it waits for another record before it ends, in milliseconds: longer than it may take to join its group. */
const QUIET_MS = 10_000;

export const consoleRecipes = (wish: RecipeWish): readonly Recipe[] => {
  const access = consoleAccess(accessOf(wish.config));
  const topic = wish.config.topic();
  const list =
    `kafka-console-consumer.sh ${access} --topic ${topic} --from-beginning --isolation-level read_committed` +
    ` --timeout-ms ${QUIET_MS} --formatter-property print.headers=true --formatter-property print.value=false 2>/dev/null`;
  return recipesOf('console', [
    ...headerRecipes({ list, sign: ':' }, wish),
    ...lagRecipes(`kafka-consumer-groups.sh ${access} --describe --group`, wish),
    {
      name: 'ends',
      question: 'how many records each partition has ever had',
      command: `kafka-get-offsets.sh ${access} --topic ${topic}`,
    },
    {
      name: 'settings',
      question: 'the settings of the topic',
      command: `kafka-topics.sh ${access} --describe --topic ${topic}`,
    },
  ]);
};
