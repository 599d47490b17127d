export { type OwnDatabase, type OwnPostgres, startPostgres } from '../../stack/local/postgres.ts';
