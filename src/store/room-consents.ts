import type { Member } from '../model/member.ts';
import type { Space } from '../model/place.ts';
import type { ConsentChoice } from '../model/space-choices.ts';
import type { Store } from './index.ts';

/** Members' choices about being listened to in the voice channels of a space. */
export interface RoomConsents {
  of(space: Space, memberId: string): Promise<ConsentChoice>;
  choose(
    space: Space,
    memberId: Member['id'],
    choice: Exclude<ConsentChoice, undefined>,
  ): Promise<void>;
}

export const createRoomConsents = (store: Store): RoomConsents => ({
  of: async ({ platform, id }, memberId) => {
    const row = await store
      .selectFrom('room_consent')
      .select('is_heard')
      .where('platform', '=', platform)
      .where('space_id', '=', id)
      .where('member_id', '=', memberId)
      .executeTakeFirst();
    if (!row) return undefined;
    return row.is_heard === 1 ? 'allowed' : 'refused';
  },
  choose: async ({ platform, id }, memberId, choice) => {
    const is_heard = choice === 'allowed' ? 1 : 0;
    await store.write((db) =>
      db
        .insertInto('room_consent')
        .values({ platform, space_id: id, member_id: memberId, is_heard })
        .onConflict((conflict) =>
          conflict.columns(['platform', 'space_id', 'member_id']).doUpdateSet({ is_heard }),
        )
        .execute(),
    );
  },
});
