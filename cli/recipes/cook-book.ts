/** The recipes of each tool; a tool is added by adding a row. */
import { consoleRecipes } from './console.ts';
import { kafkactlRecipes } from './kafkactl.ts';
import { kcatRecipes } from './kcat.ts';
import { psqlRecipes } from './psql.ts';
import type { Recipe, RecipeWish, Tool } from './recipe.ts';
import { sqliteRecipes } from './sqlite.ts';

/** Each throws CONFIG_MISSING or CONFIG_INVALID when the settings are not for its tool. */
export const COOK_BOOK: Readonly<Record<Tool, (wish: RecipeWish) => readonly Recipe[]>> = {
  kcat: kcatRecipes,
  console: consoleRecipes,
  kafkactl: kafkactlRecipes,
  psql: psqlRecipes,
  sqlite: sqliteRecipes,
};
