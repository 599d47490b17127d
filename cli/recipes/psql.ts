import { StreamError } from '../../wire/errors.ts';
import { shellWord } from '../shell.ts';
import { sqlRecipes } from './by-sql.ts';
import { type Recipe, recipesOf, type RecipeWish } from './recipe.ts';

/** Without the password: psql asks for it, or takes it from the variable. */
const withoutPassword = (url: string): string => {
  const parsed = new URL(url);
  parsed.password = '';
  return parsed.toString();
};

export const psqlRecipes = (wish: RecipeWish): readonly Recipe[] => {
  const { config } = wish;
  const { url } = config.database();
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url)) {
    throw new StreamError(
      'CONFIG_INVALID',
      'DATABASE_URL is no address of PostgreSQL',
      'Give postgres://user@host:port/database, or see: deviations recipes sqlite',
    );
  }
  const [password, ca] = (['DATABASE_PASSWORD_FILE', 'DATABASE_CA_FILE'] as const).map(
    (name) => config.setting(name).value,
  );
  const before = [
    ...(password === undefined ? [] : [`PGPASSWORD="$(cat ${shellWord(password)})"`]),
    ...(ca === undefined ? [] : ['PGSSLMODE=verify-full', `PGSSLROOTCERT=${shellWord(ca)}`]),
  ];
  const psql = [...before, `psql -X -A -t -d ${shellWord(withoutPassword(url))} -c`].join(' ');
  return recipesOf(
    'psql',
    sqlRecipes((sql) => `${psql} "${sql}"`, wish),
  );
};
