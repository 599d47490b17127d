import { StreamError } from '../../wire/errors.ts';
import { shellWord } from '../shell.ts';
import { sqlRecipes } from './by-sql.ts';
import { type Recipe, recipesOf, type RecipeWish } from './recipe.ts';

const SQLITE = 'sqlite:';

export const sqliteRecipes = (wish: RecipeWish): readonly Recipe[] => {
  const { url } = wish.config.database();
  if (!url.startsWith(SQLITE)) {
    throw new StreamError(
      'CONFIG_INVALID',
      'DATABASE_URL is no SQLite file',
      'Give sqlite:FILE, or see: deviations recipes psql',
    );
  }
  const sqlite = `sqlite3 -readonly ${shellWord(url.slice(SQLITE.length))}`;
  return recipesOf(
    'sqlite',
    sqlRecipes((sql) => `${sqlite} "${sql}"`, wish),
  );
};
