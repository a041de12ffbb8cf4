import { type Member } from '../model/member.ts';

import type { Store } from './index.ts';

export interface Preferences {
  readonly language: string | undefined;
  readonly voiceId: string | undefined;
}

export interface MemberSettings {
  of(member: Pick<Member, 'platform' | 'id'>): Promise<Preferences>;
  /** Changes settings. An omitted key keeps its value; `undefined` clears it. */
  change(
    member: Pick<Member, 'platform' | 'id'>,
    change: { language?: string | undefined; voiceId?: string | undefined },
  ): Promise<void>;
}

export const createMemberSettings = (store: Store): MemberSettings => ({
  async of({ platform, id }) {
    const row = await store
      .selectFrom('member_setting')
      .select(['language', 'voice_id'])
      .where('platform', '=', platform)
      .where('member_id', '=', id)
      .executeTakeFirst();
    return { language: row?.language ?? undefined, voiceId: row?.voice_id ?? undefined };
  },

  async change({ platform, id }, change) {
    const values = {
      ...('language' in change ? { language: change.language ?? null } : {}),
      ...('voiceId' in change ? { voice_id: change.voiceId ?? null } : {}),
    };
    await store.write((db) =>
      db
        .insertInto('member_setting')
        .values({ platform, member_id: id, language: null, voice_id: null, ...values })
        .onConflict((conflict) =>
          Object.keys(values).length === 0
            ? conflict.columns(['platform', 'member_id']).doNothing()
            : conflict.columns(['platform', 'member_id']).doUpdateSet(values),
        )
        .execute(),
    );
  },
});
