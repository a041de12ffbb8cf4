import { describe, expect, it } from 'vitest';
import type { Member } from '../../src/model/place.ts';
import type { ChannelWatch } from '../../src/model/space.ts';
import type { Access } from '../../src/ports/platform.ts';
import { watchOf } from '../fakes/autotranslate.ts';
import { HERE, SPACE } from '../fakes/command-harness.ts';
import type { Shown } from '../fakes/platform.ts';
import { sentence } from '../fakes/sentences.ts';
import { BOB, ROOM, useCommandHarness, useRoom } from './support.ts';

const harness = useCommandHarness();
const { meet, calls } = useRoom(harness);

const SECRET = { space: SPACE, id: '666' };
const OPEN = { space: SPACE, id: '200' };
const MODERATOR: Partial<Member> = {};

/** Who may use a command: everybody, or moderators alone. */
type Who = 'everybody' | 'moderators';

/**
 * Every command that takes a channel: who may use it, and what they have to be allowed in the
 * channel. `write` is for channels in which something will be posted.
 */
const COMMANDS: readonly (readonly [
  command: string,
  options: Record<string, unknown>,
  who: Who,
  needs: Exclude<Access, 'none'>,
])[] = [
  ['autotranslate reply', { languages: 'es', channel: SECRET }, 'moderators', 'write'],
  ['autotranslate compact', { languages: 'es', channel: SECRET }, 'moderators', 'write'],
  ['autotranslate request', { channel: SECRET }, 'moderators', 'write'],
  ['autotranslate thread', { languages: 'es', channel: SECRET }, 'moderators', 'write'],
  ['autotranslate mirror', { channels: '<#666> en, <#200> es' }, 'moderators', 'write'],
  ['autotranslate link', { language: 'es', channel: SECRET }, 'moderators', 'write'],
  ['autotranslate links', { channel: SECRET }, 'moderators', 'write'],
  ['autotranslate add', { language: 'ja', channel: SECRET }, 'moderators', 'write'],
  ['autotranslate remove', { language: 'ja', channel: SECRET }, 'moderators', 'write'],
  ['autotranslate rules', { channel: SECRET }, 'moderators', 'see'],
  ['autotranslate off', { channel: SECRET }, 'moderators', 'see'],
  ['readaloud on', { channel: SECRET }, 'moderators', 'see'],
  ['readaloud off', { channel: SECRET }, 'moderators', 'see'],
  ['join', { channel: SECRET }, 'moderators', 'see'],
  ['captions start', { in: SECRET }, 'moderators', 'write'],
  ['glossary add', { term: 'fox', channel: SECRET }, 'moderators', 'see'],
  ['glossary remove', { term: 'fox', channel: SECRET }, 'moderators', 'see'],
  ['glossary list', { channel: SECRET }, 'everybody', 'see'],
  ['glossary import', { file: { open: () => [] }, channel: SECRET }, 'moderators', 'see'],
  ['glossary export', { channel: SECRET }, 'everybody', 'see'],
];

const allow = (access: Access): void => {
  harness().script.access = { [SECRET.id]: access };
};

const isRefused = ({ text, tone }: Shown, key: 'unseen' | 'not-writable'): boolean =>
  tone === 'error' && text === sentence(`errors.channel-${key}`, { channel: '<#666>' });

describe('a command that takes a channel', () => {
  it('stands in the table', () => {
    const taking = harness()
      .commands.filter(({ options }) => options.some(({ kind }) => kind === 'channel'))
      .map(({ name }) => name);
    const listed = COMMANDS.map(([command]) => command);
    expect(listed.filter((name) => name !== 'autotranslate mirror').toSorted()).toEqual(
      taking.toSorted(),
    );
  });

  describe.each(COMMANDS)('/%s', (command, options, who, needs) => {
    it('takes no channel that the person may not see', async () => {
      await meet();
      allow('none');
      for (const member of who === 'everybody' ? [MODERATOR, BOB] : [MODERATOR])
        expect(isRefused(await harness().run(command, options, { member }), 'unseen')).toBe(true);
      expect(harness().services.watches.list(SPACE)).toEqual([]);
      expect((await harness().services.spaces.of(SPACE)).rooms.readAloud).toEqual([]);
      expect(calls('startCaptions')).toEqual([]);
    });

    it(`takes a channel that the person may ${needs === 'see' ? 'only see' : 'write in'}`, async () => {
      await meet();
      allow(needs);
      const shown = await harness().run(command, options);
      expect(isRefused(shown, 'unseen') || isRefused(shown, 'not-writable')).toBe(false);
    });

    if (needs === 'write')
      it('takes no channel in which the person may not write', async () => {
        await meet();
        allow('see');
        expect(isRefused(await harness().run(command, options), 'not-writable')).toBe(true);
        expect(harness().services.watches.list(SPACE)).toEqual([]);
        expect(calls('startCaptions')).toEqual([]);
      });

    if (who === 'moderators')
      it('is for moderators', async () => {
        allow('write');
        const shown = await harness().run(command, options, { member: BOB });
        expect(shown.tone).toBe('error');
        expect(harness().services.watches.list(SPACE)).toEqual([]);
        expect(calls('startCaptions')).toEqual([]);
      });
  });

  it('asks for the channel in which it is used too', async () => {
    harness().script.access = { [HERE.id]: 'see' };
    const shown = await harness().run('autotranslate reply', { languages: 'es' });
    expect(shown.text).toBe(sentence('errors.channel-not-writable', { channel: '<#100>' }));
  });
});

describe('a group with a channel that a moderator may not see', () => {
  const OTHER = { space: SPACE, id: '300' };
  const group = 'ABCD';
  const link = async (): Promise<readonly ChannelWatch[]> => {
    const { watches } = harness().services;
    const linked = [SECRET, OPEN, HERE].map((channel) => ({ ...watchOf(channel), group }));
    await watches.set(linked.map((watch): ChannelWatch => ({ ...watch, mode: 'mirror' })));
    allow('none');
    return watches.list(SPACE);
  };

  it.each<[command: string, options: Record<string, unknown>]>([
    ['autotranslate reply', { languages: 'es', channel: OPEN }],
    ['autotranslate thread', { languages: 'es', channel: OPEN }],
    ['autotranslate reply', { languages: 'es' }],
    ['autotranslate mirror', { channels: '<#200> en, <#300> es' }],
    ['autotranslate link', { channel: OPEN }],
    ['autotranslate link', { channel: OPEN, code: 'WXYZ', language: 'es' }],
    ['autotranslate link', { channel: OTHER, code: group, language: 'es' }],
    ['autotranslate off', { channel: OPEN }],
    ['autotranslate off', {}],
  ])('is changed by others alone, and stays unknown: /%s %j', async (command, options) => {
    const before = await link();
    const { text, tone } = await harness().run(command, options);
    expect([text, tone]).toEqual([sentence('autotranslate.linked-unseen'), 'error']);
    expect(harness().services.watches.list(SPACE)).toEqual(before);
  });

  it('is changed by who sees all of its channels', async () => {
    await link();
    harness().script.access = {};
    await harness().run('autotranslate link', { channel: OTHER, code: group, language: 'es' });
    await harness().press('autotranslate.link-yes');
    await harness().run('autotranslate off', { channel: OPEN });
    const left = harness().services.watches.list(SPACE);
    expect(left.map(({ channel: { id } }) => id)).toEqual([SECRET.id, HERE.id, OTHER.id]);
  });
});

describe('a choice of channels', () => {
  it.each([
    ['rooms', 'rooms.page-joins', 'rooms.joins-choose'],
    ['settings', 'settings.quiet', 'settings.quiet'],
  ] as const)('in /%s takes none that the person may not see', async (command, page, choose) => {
    allow('none');
    await harness().run(command);
    await harness().press(page);
    const { text } = await harness().press(choose, [OPEN.id, SECRET.id]);
    expect(text).toContain(sentence('errors.channel-unseen', { channel: '<#666>' }));
    const { rooms, quietChannels } = await harness().services.spaces.of(SPACE);
    expect([...rooms.joins, ...quietChannels]).toEqual([]);
  });

  it('keeps, and does not show, those that are hidden from the person', async () => {
    await harness().run('settings');
    await harness().press('settings.quiet');
    await harness().press('settings.quiet', [SECRET.id]);
    allow('none');
    const { controls } = await harness().press('settings.quiet', [OPEN.id]);
    expect(controls?.[0]).toMatchObject({ chosen: [OPEN.id] });
    expect((await harness().services.spaces.of(SPACE)).quietChannels).toEqual([SECRET.id, OPEN.id]);
  });

  it('leaves the switches of hidden channels as they are', async () => {
    await harness().services.watches.set([watchOf(SECRET), watchOf(OPEN)]);
    allow('none');
    await harness().run('settings');
    await harness().press('settings.channels');
    await harness().press('settings.voice-messages', []);
    const { watches } = harness().services;
    expect(watches.of(SECRET)?.transcribes).toBe(true);
    expect(watches.of(OPEN)?.transcribes).toBe(false);
  });
});

describe('a list of channels', () => {
  it.each(['autotranslate list', 'settings', 'status', 'readaloud list', 'rooms'])(
    'in /%s has only those that the person may see, and says how many more there are',
    async (command) => {
      await harness().services.watches.set([watchOf(SECRET), watchOf(OPEN)]);
      const { rooms } = await harness().services.spaces.of(SPACE);
      await harness().services.spaces.change(SPACE, {
        rooms: { ...rooms, readAloud: [SECRET.id, OPEN.id], joins: [SECRET.id] },
      });
      allow('none');
      const { text } = await harness().run(command);
      expect(text).toContain('<#200>');
      expect(text).not.toContain('<#666>');
      expect(text).toContain(sentence('channels.hidden', { count: 1 }));
    },
  );
});

describe('a moderator who may not enter the room that we are in', () => {
  it.each([
    'captions stop',
    'captions export',
    'captions summary',
    'stop',
    'skip',
    'queue',
    'leave',
  ])('learns and ends nothing there: /%s', async (command) => {
    harness().rooms.people.set('bob', ROOM);
    await harness().rooms.join(ROOM, 'en', true);
    harness().script.access = { [ROOM.id]: 'none' };
    const { text } = await harness().run(command);
    expect(text).toBe(sentence('room.not-with-me', { channel: '<#500>' }));
  });

  it('does not see it in /status', async () => {
    harness().rooms.people.set('bob', ROOM);
    await harness().rooms.join(ROOM, 'en', true);
    harness().script.access = { [ROOM.id]: 'none' };
    expect((await harness().run('status')).text).not.toContain('<#500>');
    harness().script.access = {};
    expect((await harness().run('status')).text).toContain('<#500>');
  });
});
