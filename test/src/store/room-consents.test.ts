import { describe, expect, it } from 'vitest';
import { openStore } from '../../../src/store/index.ts';
import { createPrivacy } from '../../../src/store/privacy.ts';
import { createRoomConsents } from '../../../src/store/room-consents.ts';

const SPACE = { platform: 'test', id: 'space' };

describe('what people chose about being heard', () => {
  it('is the newest, for one space each', async () => {
    await using store = await openStore('sqlite::memory:');
    const consents = createRoomConsents(store);
    expect(await consents.of(SPACE, 'ann')).toBeUndefined();
    await consents.choose(SPACE, 'ann', 'allowed');
    await consents.choose(SPACE, 'bob', 'refused');
    expect(await consents.of(SPACE, 'ann')).toBe('allowed');
    expect(await consents.of(SPACE, 'bob')).toBe('refused');
    await consents.choose(SPACE, 'ann', 'refused');
    expect(await consents.of(SPACE, 'ann')).toBe('refused');
    expect(await consents.of({ ...SPACE, id: 'other' }, 'ann')).toBeUndefined();
    expect(await consents.of({ ...SPACE, platform: 'other' }, 'ann')).toBeUndefined();
  });

  it('is exported, and forgotten but for a no', async () => {
    await using store = await openStore('sqlite::memory:');
    const consents = createRoomConsents(store);
    const privacy = createPrivacy(store);
    await consents.choose(SPACE, 'ann', 'allowed');
    await consents.choose(SPACE, 'bob', 'refused');
    const exported = String(
      Buffer.from(await privacy.export({ platform: SPACE.platform, id: 'ann' })),
    );
    expect(JSON.parse(exported)).toMatchObject({
      heardInVoice: [{ space: SPACE.id, agreed: true }],
    });
    for (const id of ['ann', 'bob']) await privacy.forget({ platform: SPACE.platform, id });
    expect(await consents.of(SPACE, 'ann')).toBeUndefined();
    expect(await consents.of(SPACE, 'bob')).toBe('refused');
  });
});
