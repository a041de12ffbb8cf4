import { type Command, commandFault } from '../../src/command/command.ts';
import { discover } from '../../src/app/modules.ts';
import type { Store } from '../../src/store/index.ts';

/** Every press of every command, without what stands behind the colon. */
export const allPresses = async (): Promise<readonly string[]> =>
  (await discover<Command>('commands', commandFault)).flatMap(({ name, presses = {} }) =>
    Object.keys(presses).map((word) => `${name} ${word}`),
  );

/** All that people chose, as it is stored. */
export const chosenIn = async (store: Store) =>
  Promise.all(
    (
      [
        'channel_watch',
        'space_setting',
        'member_setting',
        'glossary_term',
        'blocked_author',
        'audit_entry',
        'link_request',
        'link_invite',
      ] as const
    ).map(async (table) => store.selectFrom(table).selectAll().execute()),
  );
