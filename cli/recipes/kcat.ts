/** Debian's kcat 1.7: it knows no Avro, and its `-J` prints the headers as one flat array. */
import { AGENT_DEVIATION } from '../../schemas/index.ts';
import { accessOf, kcatAccess } from './broker-access.ts';
import { headerRecipes } from './by-headers.ts';
import { type Recipe, recipesOf, type RecipeWish } from './recipe.ts';

const AS_MAP = '[(.headers // []) | range(0; length; 2) as $at | {key: .[$at], value: .[$at + 1]}] | from_entries';

export const kcatRecipes = (wish: RecipeWish): readonly Recipe[] => {
  const kcat = `kcat -C -q -e ${kcatAccess(accessOf(wish.config))} -t ${wish.config.topic()} -o beginning`;
  return recipesOf('kcat', [
    ...headerRecipes({ list: `${kcat} -f '%h\\n'`, sign: '=' }, wish),
    {
      name: 'headers',
      question: 'the place and the headers of each, as JSON',
      command: `${kcat} -J | jq -c '{partition, offset, ts} + (${AS_MAP}) | select(.ce_type == "${AGENT_DEVIATION}")'`,
    },
  ]);
};
