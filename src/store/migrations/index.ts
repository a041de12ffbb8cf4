import type { Kysely } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import { AppError } from '../../errors.ts';
import { glossaryAndSettings } from './001-glossary-and-settings.ts';
import { watching } from './002-watching.ts';
import { rooms } from './003-rooms.ts';
import { partitionsAndTargets } from './004-partitions-and-targets.ts';
import { readAgain } from './005-rich-text.ts';
import { openRooms } from './006-open-rooms.ts';
import { standingThreads } from './007-standing-threads.ts';
import { reasons } from './008-reasons.ts';
import { foldedTerms } from './009-folded-terms.ts';
import { installations } from './010-installations.ts';
import { linkInvites } from './011-link-invites.ts';
import { spaceColumns } from './012-space-columns.ts';
import { below } from './013-below.ts';
import { deliveries } from './014-deliveries.ts';
import { historyGaps } from './015-history-gaps.ts';
import { machine } from './016-machine.ts';
import { chatTokens } from './017-chat-tokens.ts';
import { spaceKeys } from './018-space-keys.ts';

/** Migrations in the order of their names; a released one is never changed. */
const MIGRATIONS: Record<string, Migration> = {
  '001-glossary-and-settings': glossaryAndSettings,
  '002-watching': watching,
  '003-rooms': rooms,
  '004-partitions-and-targets': partitionsAndTargets,
  '005-rich-text': readAgain,
  '006-open-rooms': openRooms,
  '007-standing-threads': standingThreads,
  '008-reasons': reasons,
  '009-folded-terms': foldedTerms,
  '010-installations': installations,
  '011-link-invites': linkInvites,
  '012-space-columns': spaceColumns,
  '013-below': below,
  '014-deliveries': deliveries,
  '015-history-gaps': historyGaps,
  '016-machine': machine,
  '017-chat-tokens': chatTokens,
  '018-space-keys': spaceKeys,
};

export const migrate = async <Schema>(db: Kysely<Schema>): Promise<void> => {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } });
  const { error, results } = await migrator.migrateToLatest();
  if (!error) return;
  const failed = results?.find(({ status }) => status === 'Error')?.migrationName ?? 'unknown';
  throw new AppError('config', `the database could not be brought up to date (${failed})`, {
    cause: error,
  });
};
