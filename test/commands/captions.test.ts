import { describe, expect, it } from 'vitest';
import { userError, type MessageKey } from '../../src/errors.ts';
import type { RoomChoices } from '../../src/model/room.ts';
import { HERE, SPACE } from '../fakes/command-harness.ts';
import { BOB, EVE, ROOM, useCommandHarness, useRoom } from './support.ts';
import { sentence, sentenceLike } from '../fakes/sentences.ts';

const harness = useCommandHarness();
const { meet, room, calls } = useRoom(harness);

const FILE = { name: 'captions.srt', mediaType: 'application/x-subrip', bytes: new Uint8Array(3) };

/** The member who uses the commands. */
const BY_ADA = { startedBy: 'ada' };
const wish = () => calls('startCaptions').at(-1)?.[1];

const choose = async (changed: Partial<RoomChoices>): Promise<void> => {
  const { rooms } = await harness().services.spaces.of(SPACE);
  await harness().services.spaces.change(SPACE, { rooms: { ...rooms, ...changed } });
};

describe('/captions start', () => {
  it('joins the member’s room, and captions it in its own chat as it is spoken', async () => {
    harness().rooms.people.set('bob', ROOM);
    const { text } = await harness().run('captions start', {}, { member: BOB });
    expect(calls('join')).toEqual([['join', '500', 'en', false]]);
    expect(wish()).toEqual({ languages: [], startedBy: BOB.id });
    expect(text).toBe(
      `${sentence('captions.started', { room: '<#500>', channel: '<#500>' })}\n` +
        sentence('captions.as-spoken'),
    );
  });

  it('asks whoever is in no room to go to one', async () => {
    const content = await harness().run('captions start');
    expect(content.text).toBe(sentence('room.nobody-there'));
  });

  it('reads a typed list of languages, and takes the server’s where there is none', async () => {
    await meet();
    const { text } = await harness().run('captions start', { languages: 'Spanish, ja' });
    expect(wish()).toEqual({ languages: ['es', 'ja'], ...BY_ADA });
    expect(text).toContain(sentence('captions.into', { languages: 'Spanish, Japanese' }));
    await harness().run('captions stop');
    await choose({ languages: ['fr'] });
    await harness().run('captions start');
    expect(wish()).toEqual({ languages: ['fr'], ...BY_ADA });
  });

  it('completes the last language of the list', async () => {
    expect(await harness().complete('captions start', 'languages', 'es, jap')).toContain(
      'es, ja|Spanish, Japanese · 日本語 (ja)',
    );
    expect(await harness().complete('captions language', 'languages', 'jap')).toContain(
      'ja|Japanese · 日本語 (ja)',
    );
  });

  it('names languages that it does not know, and begins with nothing', async () => {
    await meet();
    const content = await harness().run('captions start', { languages: 'es, Klingonese' });
    expect(content.text).toContain('`Klingonese`');
    const many = 'en es fr de it pt ja ko zh ru pl';
    expect((await harness().run('captions start', { languages: many })).text).toBe(
      sentence('autotranslate.how-many-languages', { most: 10 }),
    );
    expect((await harness().run('captions start', { only: 'Klingonese' })).tone).toBe('error');
    expect(wish()).toBeUndefined();
  });

  it('shows one language alone, and translates into no other one that nobody asked for', async () => {
    await meet();
    await choose({ languages: ['fr'] });
    const { text } = await harness().run('captions start', { only: 'Spanish' });
    expect(wish()).toEqual({ languages: ['es'], only: 'es', ...BY_ADA });
    expect(text).toContain(sentence('captions.only', { language: 'Spanish' }));
    await harness().run('captions stop');
    await harness().run('captions start', { languages: 'ja, es', only: 'es' });
    expect(wish()).toEqual({ languages: ['ja', 'es'], only: 'es', ...BY_ADA });
  });

  it('shows them in another channel, or in a thread of one', async () => {
    await meet();
    const { text } = await harness().run('captions start', { in: '<#7>', transcript: 'vtt' });
    expect(wish()).toEqual({
      languages: [],
      in: { space: SPACE, id: '7' },
      transcript: 'vtt',
      ...BY_ADA,
    });
    expect(text).toContain(sentence('captions.started', { room: '<#500>', channel: '<#7>' }));
    expect(text).toContain(sentence('captions.transcript-follows'));
    await harness().run('captions stop');
    await harness().run('captions start', { thread: true });
    expect(wish()).toEqual({
      languages: [],
      in: HERE,
      thread: sentence('room.thread-name'),
      ...BY_ADA,
    });
    await harness().run('captions stop');
    const thread = { ...HERE, id: '9', parentId: '7' };
    await harness().run('captions start', { thread: true }, { channel: thread });
    expect(wish()).toMatchObject({ in: { space: SPACE, id: '7' } });
  });

  it('says that a room has no threads', async () => {
    await meet();
    const inRoom = await harness().run('captions start', { thread: true }, { channel: ROOM });
    expect(inRoom.text).toContain(sentence('captions.no-thread'));
    const named = await harness().run('captions start', { thread: true, in: '<#500>' });
    expect(named.text).toContain(sentence('captions.no-thread'));
    expect(wish()).toBeUndefined();
  });

  it('lets members show them here or in the room, and nowhere else', async () => {
    await meet();
    const asking = { member: BOB };
    const content = await harness().run('captions start', { in: '<#7>' }, asking);
    expect(content).toMatchObject({ tone: 'error' });
    expect(wish()).toBeUndefined();
    for (const id of ['100', '500']) {
      await harness().run('captions start', { in: `<#${id}>` }, asking);
      expect(wish()).toMatchObject({ in: { id } });
      await harness().run('captions stop', {}, asking);
    }
  });

  it('begins once', async () => {
    await meet();
    await harness().run('captions start', { in: '<#7>' });
    const content = await harness().run('captions start', { languages: 'es' });
    expect(content.text).toBe(sentence('captions.running', { channel: '<#7>' }));
    expect(calls('startCaptions')).toHaveLength(1);
  });

  it('says when nothing here writes down speech', async () => {
    await meet();
    harness().script.engines = [{ name: 'x', serves: ['recognition'], ready: false, detail: '' }];
    const { text } = await harness().run('captions start');
    expect(text.split('\n').at(-1)).toBe(sentence('captions.no-recognition'));
  });

  it('joins nothing for what cannot be shown there', async () => {
    harness().rooms.people.set('bob', ROOM);
    const content = await harness().run('captions start', { in: '<#7>' }, { member: BOB });
    expect(content).toMatchObject({ tone: 'error' });
    expect(calls('join')).toEqual([]);
  });

  it('of moderators in no room captions the one that we are in', async () => {
    await meet();
    harness().rooms.people.delete('ada');
    expect((await harness().run('captions start')).text).toContain(
      sentence('captions.started', { room: '<#500>', channel: '<#500>' }),
    );
  });

  it('says why it could not', async () => {
    await meet();
    harness().rooms.script.refusal = userError('forbidden', 'watch.missing', {
      permissions: 'Speak',
    });
    expect((await harness().run('captions start')).text).toBe(
      sentence('watch.missing', { permissions: 'Speak' }),
    );
  });
});

describe('the captions of a room', () => {
  it.each([
    ['start', {}],
    ['stop', {}],
    ['export', {}],
    ['language', {}],
    ['summary', {}],
  ])('are nothing to people elsewhere: %s', async (action, options) => {
    await meet();
    if (action !== 'start') await room()?.startCaptions({ languages: [] });
    harness().rooms.script.file = FILE;
    const content = await harness().run(`captions ${action}`, options, { member: EVE });
    expect(content).toMatchObject({ tone: 'error' });
    expect(content.text).toBe(sentence('room.not-with-me', { channel: '<#500>' }));
    expect(content.files).toBeUndefined();
  });

  it.each(['stop', 'language'])('need a room: %s', async (action) => {
    expect((await harness().run(`captions ${action}`)).text).toContain(sentence('room.none'));
  });

  it.each(['export', 'summary'])(
    'that are not kept any more, or never were: %s',
    async (action) => {
      for (const member of [{}, BOB])
        expect((await harness().run(`captions ${action}`, {}, { member })).text).toBe(
          sentence('captions.none'),
        );
    },
  );

  it('end', async () => {
    await meet();
    await room()?.startCaptions({ languages: [] });
    const { text } = await harness().run('captions stop', {}, { member: BOB });
    expect(text).toBe(sentence('captions.stopped'));
    expect(room()?.captions).toBeUndefined();
    expect(await harness().run('captions stop')).toMatchObject({
      tone: 'error',
      text: expect.stringContaining(sentence('captions.not-on')) as string,
    });
  });

  it('are given as a file to the asker', async () => {
    await meet();
    expect((await harness().run('captions export')).text).toContain(sentence('captions.none'));
    harness().rooms.script.file = FILE;
    const { files } = await harness().run('captions export', { kind: 'srt', language: 'Spanish' });
    expect(files).toEqual([FILE]);
    await harness().run('captions export');
    expect(calls('transcript')).toEqual([
      ['transcript', 'srt', 'es'],
      ['transcript', 'txt', undefined],
    ]);
    const info = harness().commands.find(({ name }) => name === 'captions export');
    expect(info?.private).toBe(true);
  });

  it('change their languages', async () => {
    await meet();
    expect((await harness().run('captions language', { languages: 'es' })).text).toContain(
      sentence('captions.not-on'),
    );
    await room()?.startCaptions({ languages: [] });
    const changed = await harness().run('captions language', { languages: 'es ja' });
    expect(changed.text).toBe(sentence('captions.into', { languages: 'Spanish, Japanese' }));
    expect(room()?.captions?.languages).toEqual(['es', 'ja']);
    expect((await harness().run('captions language', { languages: 'x' })).tone).toBe('error');
    const none = await harness().run('captions language');
    expect(none.text).toBe(sentence('captions.as-spoken'));
    expect(room()?.captions?.languages).toEqual([]);
  });

  it('are summed up in the asker’s language, or another one', async () => {
    await meet();
    harness().rooms.script.summary = ['They', 'They talked.'];
    expect((await harness().run('captions summary')).text).toBe('They talked.');
    await harness().run('language', { language: 'ja' });
    await harness().run('captions summary');
    await harness().run('captions summary', { language: 'French' });
    expect(calls('summary')).toEqual([
      ['summary', 'en'],
      ['summary', 'ja'],
      ['summary', 'fr'],
    ]);
  });
});

describe('the buttons of the notice', () => {
  const press = async (key: MessageKey) => harness().press(key, [], { member: BOB });
  const notice = async () => harness().pressNamed('captions out', { member: BOB });

  it('leave people out and take them in again, in an answer of their own', async () => {
    const out = await notice();
    expect(out.text).toBe(sentence('captions.chose-unheard'));
    expect((await press('room.caption-me')).text).toContain(sentence('captions.chose-heard'));
    expect((await press('room.leave-me-out')).text).toContain(sentence('captions.chose-unheard'));
    expect(calls('choose')).toEqual([
      ['choose', 'bob', 'refused'],
      ['choose', 'bob', 'allowed'],
      ['choose', 'bob', 'refused'],
    ]);
    const info = harness().commands.find(({ name }) => name === 'captions start');
    expect(info?.privatePresses).toEqual(['captions out', 'captions in', 'captions open']);
  });

  it('are for everybody, whomever the command is for', async () => {
    await harness().services.spaces.change(SPACE, { roles: { captions: ['r1'] } });
    harness().rooms.people.set('bob', ROOM);
    const refused = await harness().run('captions start', {}, { member: BOB });
    expect(refused.text).toMatch(sentenceLike('errors.needs-role'));
    expect((await notice()).text).toContain(sentence('captions.chose-unheard'));
  });

  it('do not caption those who opted out of everything', async () => {
    await harness().services.privacy.setOptedOut({ platform: 'test', id: 'bob' }, true);
    await notice();
    const content = await press('room.caption-me');
    expect(content.text).toContain(sentence('captions.opted-out'));
    expect(calls('choose')).toHaveLength(1);
  });
});
