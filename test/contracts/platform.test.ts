import { expect, test } from 'vitest';
import type { Channel, Posted } from '../../src/model/place.ts';
import type { Content } from '../../src/model/content.ts';
import type { Member } from '../../src/model/member.ts';
import { PLATFORM_RULES, type PlatformSubject } from './platform.ts';

const channel: Channel = { space: { platform: 'broken', id: 'space' }, id: 'channel' };

const member = (id: string): Member => ({
  platform: 'broken',
  id,
  name: id,
  locale: 'en',
  role: 'member',
});

/** Keeps no rule: one id for all, markup left in, edits added, whispers shouted, nothing refused. */
const createBroken = (): PlatformSubject => {
  const shown: { id: string; text: string; tone: string; files: [] }[] = [];
  const put = async (_: Channel, { text }: Content): Promise<Posted> => {
    shown.push({ id: 'same', text: `<p>${text}</p>`, tone: 'plain', files: [] });
    return { channel: { ...channel, id: 'elsewhere' }, ids: ['same'] };
  };
  return {
    channel,
    asker: member('asker'),
    other: member('other'),
    seenBy: async () => shown,
    platform: {
      name: 'broken',
      post: put,
      edit: (message, content) => put(message.channel, content),
      delete: async () => undefined,
      upload: (to) => put(to, { text: '' }),
      whisper: async (to, _, content) => void (await put(to, content)),
      typing: async (to) => void (await put(to, { text: 'typing' })),
    },
  };
};

test.each(PLATFORM_RULES.map((rule) => [rule.name, rule] as const))(
  'a platform that breaks every rule is caught by: %s',
  async (_, rule) => {
    await expect(rule.check(createBroken())).rejects.toThrow();
  },
);
