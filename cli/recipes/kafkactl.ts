/** kafkactl 5. It prints the value behind the headers, here in hexadecimal so that a line stays a line. */
import { accessOf, kafkactlAccess } from './broker-access.ts';
import { headerRecipes } from './by-headers.ts';
import { lagRecipes, type Recipe, recipesOf, type RecipeWish } from './recipe.ts';

export const kafkactlRecipes = (wish: RecipeWish): readonly Recipe[] => {
  const kafkactl = `${kafkactlAccess(accessOf(wish.config))} kafkactl`;
  const list = `${kafkactl} consume ${wish.config.topic()} --from-beginning --exit --isolation-level ReadCommitted --print-headers --value-encoding hex`;
  return recipesOf('kafkactl', [
    ...headerRecipes({ list, sign: ':' }, wish),
    ...lagRecipes(`${kafkactl} describe consumer-group`, wish),
  ]);
};
