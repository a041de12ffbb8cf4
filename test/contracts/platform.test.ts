import { expect, test } from 'vitest';
import type { Channel, Posted, Member } from '../../src/model/place.ts';
import type { Content } from '../../src/model/message.ts';
import { FAKE_CAPABILITIES } from '../fakes/platform.ts';
import { PLATFORM_CONTRACT, type PlatformSubject } from './platform.ts';

const channel: Channel = { space: { platform: 'broken', id: 'space' }, id: 'channel' };

const member = (id: string): Member => ({
  platform: 'broken',
  id,
  name: id,
  locale: 'en',
  role: 'member',
});

/** Keeps no promise: one id for all, markup left in, edits added, files and controls lost, nothing refused. */
const createBroken = (): PlatformSubject => {
  const shown: { id: string; text: string; tone: string; files: []; controls: [] }[] = [];
  const put = async (_: Channel, { text }: Content): Promise<Posted> => {
    shown.push({
      id: 'same',
      text: `<p>${JSON.stringify(text)}</p>`,
      tone: 'plain',
      files: [],
      controls: [],
    });
    return { channel: { ...channel, id: 'elsewhere' }, ids: ['same'] };
  };
  return {
    channel,
    asker: member('asker'),
    other: member('other'),
    seenBy: async () => shown,
    platform: {
      name: 'broken',
      capabilities: FAKE_CAPABILITIES,
      post: put,
      edit: (message, content) => put(message.channel, content),
      delete: async () => undefined,
    },
  };
};

test.each(Object.entries(PLATFORM_CONTRACT))(
  'a platform that keeps no promise is found out by: %s',
  async (_, check) => {
    await expect(check(createBroken())).rejects.toThrow();
  },
);
