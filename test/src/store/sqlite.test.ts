import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { databaseUrl, openStore } from '../../../src/store/index.ts';
import { createMemberSettings } from '../../../src/store/member-settings.ts';

const MEMBER = { platform: 'test', id: 'ada' };

describe('the database', () => {
  it('is made with its folders, and keeps what it was given', async () => {
    const url = `sqlite:${join(mkdtempSync(join(tmpdir(), 'dragoman-')), 'a/b/x.db')}`;
    const first = await openStore(url);
    await createMemberSettings(first).change(MEMBER, { language: 'ja', voiceId: 'v' });
    await first.destroy();
    const second = await openStore(url);
    const settings = createMemberSettings(second);
    expect(await settings.of(MEMBER)).toEqual({ language: 'ja', voiceId: 'v' });
    await settings.change(MEMBER, { language: undefined });
    expect(await settings.of(MEMBER)).toEqual({ language: undefined, voiceId: 'v' });
    await second.destroy();
  });

  it.each(['sqlite:/proc/dragoman/x.db', 'sqlite:/dev/null/x.db'])(
    'that cannot be made says so: %s',
    async (url) => {
      await expect(openStore(url)).rejects.toMatchObject({ code: 'config' });
    },
  );

  it.each(['sqlite:', 'mysql://x', 'sqlite: '])('is not %j', (url) => {
    expect(databaseUrl.safeParse(url).success).toBe(false);
  });
});
