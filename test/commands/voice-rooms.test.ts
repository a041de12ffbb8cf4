import { describe, expect, it } from 'vitest';
import { userError } from '../../src/errors.ts';
import { HERE, MUTE, SPACE } from '../fakes/command-harness.ts';
import { BOB, EVE, ROOM, useCommandHarness, useRoom } from './support.ts';
import { sentence, sentenceLike } from '../fakes/sentences.ts';

const harness = useCommandHarness();
const { meet, room, calls } = useRoom(harness);

const OTHER_ROOM = { space: SPACE, id: '501' };

describe('/join', () => {
  it('comes to the room of the member, and speaks their language there', async () => {
    harness().rooms.people.set('bob', ROOM);
    const { text } = await harness().run('join', {}, { member: { ...BOB, locale: 'de' } });
    expect(text).toContain('<#500>');
    expect(calls('join')).toEqual([['join', '500', 'de', false]]);
  });

  it('asks whoever is in no room to go to one', async () => {
    const content = await harness().run('join');
    expect(content).toEqual({
      text: sentence('room.nobody-there'),
      tone: 'error',
    });
  });

  it('goes for moderators where they say', async () => {
    await meet();
    expect((await harness().run('join', { channel: '<#501>' })).text).toContain('<#501>');
    expect(calls('join').at(-1)).toEqual(['join', '501', 'en', true]);
    expect(room()?.channel).toEqual(OTHER_ROOM);
  });

  it('goes for members to their own room alone', async () => {
    harness().rooms.people.set('eve', OTHER_ROOM);
    const elsewhere = await harness().run('join', { channel: '<#500>' }, { member: EVE });
    expect(elsewhere.text).toContain(sentence('join.not-yours'));
    expect(calls('join')).toEqual([]);
  });

  it('says that it is there already', async () => {
    await meet();
    expect(await harness().run('join')).toEqual({
      text: sentence('join.there', { channel: '<#500>' }),
      tone: 'note',
    });
    expect(calls('join')).toHaveLength(1);
  });

  it('says why it could not', async () => {
    harness().rooms.people.set('ada', ROOM);
    harness().rooms.script.refusal = userError('unavailable', 'room.full');
    expect((await harness().run('join')).text).toBe(sentence('room.full'));
  });
});

describe('/leave', () => {
  it('leaves for whoever is there', async () => {
    await meet();
    const { text } = await harness().run('leave', {}, { member: BOB });
    expect(text).toBe(sentence('leave.left', { channel: '<#500>' }));
    expect(room()).toBeUndefined();
    expect((await harness().run('leave')).text).toBe(sentence('room.none'));
  });

  it('stays when somebody from elsewhere says so, moderators apart', async () => {
    await meet();
    const content = await harness().run('leave', {}, { member: EVE });
    expect(content).toMatchObject({ tone: 'error' });
    expect(content.text).toBe(sentence('room.not-with-me', { channel: '<#500>' }));
    harness().rooms.people.delete('ada');
    await harness().run('leave');
    expect(room()).toBeUndefined();
  });
});

describe('/readaloud', () => {
  const readAloud = async () => (await harness().services.spaces.of(SPACE)).rooms.readAloud;

  it('reads this channel or another one, and says where', async () => {
    const first = await harness().run('readaloud on');
    expect(first.text).toContain(sentence('readaloud.on', { channel: '<#100>' }));
    expect(first.text).toContain(sentence('readaloud.in-no-room'));
    await meet();
    const thread = { ...HERE, id: '9', parentId: '7' };
    const second = await harness().run('readaloud on', {}, { channel: thread });
    expect(second.text).toContain(sentence('readaloud.in', { channel: '<#500>' }));
    await harness().run('readaloud on', { channel: '<#7>' });
    expect(await readAloud()).toEqual(['100', '9', '7']);
    expect((await harness().run('readaloud list')).text).toBe(
      `${sentence('readaloud.heading', { count: 3 })}\n- <#100>\n- <#9>\n- <#7>`,
    );
  });

  it('stops reading one', async () => {
    await harness().run('readaloud on');
    expect((await harness().run('readaloud off')).text).toBe(
      sentence('readaloud.off', { channel: '<#100>' }),
    );
    expect(await harness().run('readaloud off')).toMatchObject({ tone: 'note' });
    expect(await harness().run('readaloud list')).toMatchObject({ tone: 'note' });
    expect(await readAloud()).toEqual([]);
  });

  it('takes 25 channels, and nothing but them is changed', async () => {
    const { rooms } = await harness().services.spaces.of(SPACE);
    const full = Array.from({ length: 25 }, (_, at) => String(at));
    await harness().services.spaces.change(SPACE, {
      rooms: { ...rooms, bargeIn: 'stop', readAloud: full },
    });
    expect((await harness().run('readaloud on')).text).toBe(
      sentence('readaloud.full', { most: 25 }),
    );
    await harness().run('readaloud on', { channel: '<#3>' });
    expect((await harness().services.spaces.of(SPACE)).rooms.bargeIn).toBe('stop');
    expect(await readAloud()).toHaveLength(25);
  });

  it.each(['on', 'off', 'list'])('lets nobody but moderators use %s', async (action) => {
    const content = await harness().run(`readaloud ${action}`, {}, { member: BOB });
    expect(content.text).toBe(sentence('errors.needs-moderator', { platform: 'test' }));
  });
});

describe('/status', () => {
  const stats = { received: 90, lost: 10, undecryptable: 0 };
  const WITHHELD = { noise: 0, invented: 0, repeated: 0, unsure: 0, foreign: 7, wordless: 0 };

  it('says where we are, what is captioned, and who comes through badly', async () => {
    await meet();
    const here = sentence('status.in-room', { channel: '<#500>' });
    expect((await harness().run('status')).text).toContain(
      `${sentence('status.voice')}\n- ✅ ${here}\n- ➖ ${sentence('status.no-captions')}`,
    );
    await room()?.startCaptions({ languages: ['es', 'ja'] });
    harness().rooms.script.withheld = { ...WITHHELD, unsure: 2 };
    harness().rooms.script.health = [
      { memberId: '1', name: 'Ann', received: 200, lost: 0, undecryptable: 0 },
      { memberId: '2', name: 'Bo*b', ...stats },
      { memberId: '3', name: 'Cid', received: 50, lost: 0, undecryptable: 50 },
      { memberId: '4', name: 'Dot', received: 0, lost: 0, undecryptable: 0 },
    ];
    harness().rooms.script.faults = [userError('forbidden', 'room.in-audience')];
    const { text } = await harness().run('status');
    expect(text.split('\n').slice(-8)).toEqual([
      `- ✅ ${here}`,
      `- ✅ ${sentence('status.captions', { channel: '<#500>' })} · Spanish · Japanese`,
      `- ❌ ${sentence('room.in-audience')}`,
      `- ➖ ${sentence('status.withheld-unsure', { count: 2 })}`,
      `- ➖ ${sentence('status.withheld-foreign', { count: 7 })}`,
      `- ❌ ${sentence('status.unheard', { name: 'Cid' })}`,
      `- ⚠️ ${sentence('status.heard', { name: 'Bo\\*b', lost: '10%', unread: '0%' })}`,
      `- ✅ ${sentence('status.heard', { name: 'Ann', lost: '0%', unread: '0%' })}`,
    ]);
  });

  it('tells nobody from elsewhere who speaks where, and nothing where we are in no room', async () => {
    expect((await harness().run('status')).text).not.toContain(sentence('status.voice'));
    await meet();
    harness().rooms.script.withheld = WITHHELD;
    harness().rooms.script.health = [{ memberId: '2', name: 'Bob', ...stats }];
    expect((await harness().run('status', {}, { member: EVE })).text).not.toContain('Bob');
    expect((await harness().run('status', {}, { member: BOB })).text).toContain('Bob');
  });
});

describe('a platform without rooms', () => {
  const asking = { channel: { space: MUTE, id: '1' }, member: { platform: MUTE.platform } };

  it.each([
    ['join', {}],
    ['leave', {}],
    ['captions start', {}],
    ['skip', {}],
    ['stop', {}],
    ['queue', {}],
    ['readaloud list', {}],
    ['rooms', {}],
  ])('has no /%s', async (command, options) => {
    expect((await harness().run(command, options, asking)).text).toMatch(
      sentenceLike('errors.unknown-command'),
    );
  });

  it('is told nothing of rooms', async () => {
    await harness().run('privacy', {}, asking);
    const seen = await harness().press('privacy.details', [], asking);
    expect(seen.text).not.toContain(sentence('privacy.rooms'));
    await harness().run('privacy');
    expect((await harness().press('privacy.details')).text).toContain(sentence('privacy.rooms'));
    expect((await harness().run('help', {}, asking)).text).not.toContain('/captions');
    const topics = (await harness().run('help')).text.split('\n\n');
    const under = (topic: 'speech' | 'server') =>
      topics.find((part) => part.startsWith(`**${sentence(`help.topics.${topic}`)}**`));
    expect(under('speech')).toMatch(/`\/captions`[^]*`\/join`[^]*`\/readaloud`/);
    expect(under('server')).toContain('`/rooms`');
  });
});
