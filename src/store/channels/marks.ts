import type { Transaction } from 'kysely';
import { keyOf, type Channel, type Space } from '../../model/place.ts';
import type { Schema } from '../schema.ts';

/** Kinds of marks of channels, among the agreed numbers: each holds until the time that is its number, ms since 1970. */
const KINDS = ['history owed', 'late told'] as const;

type MarkKind = (typeof KINDS)[number];

/** Names of the marks of a partition begin with this; a partition of linked channels has no wildcards, nor has a space. */
export const marksBegin = (kind: MarkKind, partition: string): string => `${kind} ${partition} `;

export const markName = (kind: MarkKind, partition: string, { space, id }: Channel): string =>
  `${marksBegin(kind, partition)}${keyOf(space)} ${id}`;

/** Deletes marks that have lapsed before a time, ms since 1970. */
export const clearMarks = async (db: Transaction<Schema>, beforeMs: number): Promise<void> => {
  for (const kind of KINDS)
    await db
      .deleteFrom('agreement')
      .where('name', 'like', `${kind} %`)
      .where('value', '<', beforeMs)
      .execute();
};

/** Deletes the marks of a space's channels. */
export const removeMarks = async (db: Transaction<Schema>, space: Space): Promise<void> => {
  for (const kind of KINDS)
    await db
      .deleteFrom('agreement')
      .where('name', 'like', `${kind} % ${keyOf(space)} %`)
      .execute();
};
