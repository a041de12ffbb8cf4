import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import {
  away,
  CHAT,
  human,
  openCaptioned,
  openStage,
  ROOM,
  settle,
  SPACE,
  type Stage,
} from '../room-harness.ts';
import { sentence, sentenceLike } from '../../../fakes/sentences.ts';
import { rich } from '../../../fakes/rich-text.ts';

describe('captions of a room', () => {
  it('begin again, without the speech in between', async () => {
    await using stage = await openCaptioned();
    await stage.say('ann', 'one');
    await stage.room().stopCaptions();
    await stage.say('ann', 'two');
    await stage.room().startCaptions({ languages: [] });
    await stage.say('ann', 'three');
    const file = await stage.room().transcript('txt');
    const text = Buffer.from(file!.bytes).toString();
    expect(text).toContain('three');
    expect(text).not.toContain('one');
    expect(text).not.toContain('two');
  });

  it('without any speech keep the transcript of those before', async () => {
    await using stage = await openCaptioned();
    await stage.say('ann', 'one');
    await stage.room().stopCaptions();
    await stage.room().startCaptions({ languages: [] });
    await stage.room().stopCaptions();
    const file = await stage.room().transcript('txt');
    expect(Buffer.from(file!.bytes).toString()).toContain('one');
  });

  it('begin once when two people begin them at the same moment', async () => {
    await using stage = await openStage();
    stage.place.enter(ROOM, human('ann'));
    const room = await stage.join();
    const both = await Promise.allSettled([
      room.startCaptions({ languages: [] }),
      room.startCaptions({ languages: ['es'] }),
    ]);
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect((both[1] as PromiseRejectedResult).reason).toMatchObject({
      sentence: { key: 'captions.running' },
    });
    expect(stage.place.texts(ROOM)).toHaveLength(1);
  });

  it('do not begin in a room that the bot is leaving, and nobody is informed that they did', async () => {
    await using stage = await openStage();
    stage.place.enter(ROOM, human('ann'));
    const room = await stage.join();
    const held = Promise.withResolvers<void>();
    stage.place.faults.posting = held.promise;
    const starting = room.startCaptions({ languages: [] });
    const failed = expect(starting).rejects.toMatchObject({ name: 'AppError' });
    await settle();
    const leaving = room.leave();
    held.resolve();
    await Promise.all([failed, leaving]);
    await expect(room.startCaptions({ languages: [] })).rejects.toMatchObject({
      sentence: { key: 'room.none' },
    });
    await expect(room.say({ text: rich('hello'), kind: 'say' })).rejects.toMatchObject({
      sentence: { key: 'room.none' },
    });
    expect(stage.place.where()).toBeUndefined();
    expect(stage.place.subscribed()).toEqual([]);
  });

  it('do not begin where people cannot be informed, and the earlier transcript is kept', async () => {
    await using stage = await openCaptioned();
    await stage.say('ann', 'the first time');
    await stage.room().stopCaptions();
    const before = stage.place.texts(ROOM).length;
    stage.place.faults.post = () => new AppError('forbidden', 'not allowed to post');
    await expect(stage.room().startCaptions({ languages: [] })).rejects.toMatchObject({
      code: 'forbidden',
    });
    stage.place.faults.post = undefined;
    await stage.pass(60_000);
    expect(stage.room().captions).toBeUndefined();
    expect(stage.place.subscribed()).toEqual([]);
    expect(stage.place.texts(ROOM)).toHaveLength(before);
    const file = await stage.room().transcript('txt');
    expect(Buffer.from(file!.bytes).toString()).toContain('the first time');
  });

  it('leave no heading where they do not begin', async () => {
    await using stage = await openStage({ spokenNotice: false });
    stage.place.enter(ROOM, human('ann'));
    const room = await stage.join();
    stage.place.faults.post = ({ id }) =>
      id === 'room' ? new AppError('forbidden', 'not allowed to post') : undefined;
    await expect(room.startCaptions({ languages: [], in: CHAT })).rejects.toMatchObject({
      code: 'forbidden',
    });
    expect(stage.place.history.map(({ channel }) => channel)).toEqual(['chat']);
    expect(stage.place.texts(CHAT)).toEqual([]);
  });

  it('name their room in another channel, and do not begin where they cannot be shown', async () => {
    await using stage = await openCaptioned({ in: CHAT });
    expect(stage.place.texts(CHAT)).toEqual([expect.stringContaining('#room')]);
    await stage.room().stopCaptions();
    stage.place.faults.post = ({ id }) =>
      id === 'chat' ? new AppError('forbidden', 'not there') : undefined;
    await expect(stage.room().startCaptions({ languages: [], in: CHAT })).rejects.toMatchObject({
      code: 'forbidden',
    });
    expect(stage.room().captions).toBeUndefined();
  });

  it('wait where they may not be posted any more, and the room is informed', async () => {
    await using stage = await openCaptioned({ in: CHAT });
    stage.place.faults.post = ({ id }) =>
      id === 'chat' ? new AppError('forbidden', 'not there') : undefined;
    await stage.say('ann', 'hello');
    expect(stage.place.texts(ROOM).at(-1)).toMatch(sentenceLike('room.not-shown'));
    stage.place.faults.post = undefined;
    await stage.pass(31_000);
    expect(stage.place.texts(CHAT).at(-1)).toContain('hello');
    expect(stage.place.texts(ROOM).at(-1)).toBe(sentence('room.shown-again'));
  });

  const refuse = (stage: Stage, ...ids: string[]): void => {
    stage.place.faults.post = ({ id }) =>
      ids.includes(id) ? new AppError('forbidden', 'not there') : undefined;
    stage.place.faults.missing = ({ id }) => (ids.includes(id) ? ['Send Messages'] : []);
  };
  const missing = (channel: string) =>
    sentence('room.missing', { channel, permissions: 'Send Messages' });

  it('are told to who started them where nothing can be posted, once, and in the status', async () => {
    await using stage = await openCaptioned({ startedBy: 'ann' });
    refuse(stage, 'room');
    for (let minute = 0; minute < 8; minute += 1) {
      await stage.say('ann', `line ${minute}`);
      await stage.pass(60_000);
    }
    const note = sentence('room.not-shown', { reason: missing('#room') });
    expect(stage.place.whispers).toEqual([
      { to: 'ann', text: sentence('room.to-starter', { channel: '#room', note }) },
    ]);
    expect(await stage.run('status', 'ann')).toContain(missing('#room'));

    refuse(stage);
    stage.place.faults.post = undefined;
    await stage.core.feedListener.accessChanged(SPACE);
    await stage.pass(10_000);
    await stage.say('ann', 'afterwards');
    expect(await stage.run('status', 'ann')).not.toContain('Send Messages');
    const shown = stage.place.texts(ROOM);
    expect(shown.join('\n')).toContain('afterwards');
    expect(shown.filter((text) => sentenceLike('room.lines-unshown').test(text))).toHaveLength(1);
    const file = await stage.room().transcript('txt');
    expect(Buffer.from(file!.bytes).toString()).toContain('line 0');
  });

  it('go on although who started them accepts no private messages', async () => {
    await using stage = await openCaptioned({ startedBy: 'ann' });
    stage.place.faults.tell = new AppError('forbidden', 'closed');
    refuse(stage, 'room');
    await stage.say('ann', 'hello');
    await stage.pass(20_000);
    expect(stage.place.whispers).toHaveLength(1);
    refuse(stage);
    await stage.core.feedListener.accessChanged(SPACE);
    await stage.pass(10_000);
    expect(stage.place.texts(ROOM).join('\n')).toContain('hello');
  });

  it('whose room takes no notice are told to who started them, and newcomers are heard once it does', async () => {
    await using stage = await openCaptioned({ in: CHAT, startedBy: 'ann' });
    refuse(stage, 'room');
    stage.place.enter(ROOM, human('eve', 'Eve'));
    const before = stage.place.history.length;
    await stage.pass(30 * 60_000);
    expect(stage.place.whispers[0]?.text).toMatch(sentenceLike('room.untold'));
    expect(stage.place.whispers.length).toBeLessThan(5);
    expect(stage.place.subscribed()).not.toContain('eve');
    expect(stage.place.history.length).toBe(before);
    refuse(stage);
    await stage.core.feedListener.accessChanged(SPACE);
    await stage.pass(3_000);
    expect(stage.place.subscribed()).toContain('eve');
  });

  it('write names with markup as names', async () => {
    await using stage = await openCaptioned();
    stage.place.enter(ROOM, human('eve', '**[x](http://y)** <@1>'));
    await stage.pass(2_000);
    await stage.say('eve', 'hello');
    const shown = stage.place.texts(ROOM).join('\n');
    expect(shown).not.toContain('**[x](');
    expect(shown).not.toMatch(/(?<!\\)<@1>/);
    expect(shown).toContain('hello');
  });

  it('work in a room of three hundred, who are informed in a message of ordinary length', async () => {
    await using stage = await openCaptioned();
    const many = Array.from({ length: 300 }, (_, at) =>
      human(`p${at}`, `A rather long name ${at}`),
    );
    stage.place.enter(ROOM, ...many);
    await stage.pass(2_000);
    expect(stage.place.subscribed()).toHaveLength(302);
    expect(Math.max(...stage.place.texts(ROOM).map(({ length }) => length))).toBeLessThan(1_000);
    await stage.say('p299', 'from the back');
    expect(stage.place.texts(ROOM).at(-1)).toContain('from the back');
  });

  it('inform once that the service is unavailable, and once that it is back', async () => {
    await using stage = await openCaptioned();
    stage.script.deaf = away();
    for (const word of ['one', 'two', 'three']) await stage.say('ann', word);
    await stage.pass(3_000);
    const failed = sentenceLike('room.trouble-away');
    const lines = () =>
      stage.place
        .texts(ROOM)
        .filter((text) => failed.test(text) || text === sentence('room.recognised-again'));
    expect(lines()).toHaveLength(1);
    expect(lines()[0]).toMatch(failed);
    stage.script.deaf = undefined;
    for (const word of ['four', 'five']) await stage.say('bob', word);
    await stage.pass(10_000);
    expect(lines()).toEqual([sentence('room.recognised-again')]);
    expect(stage.place.texts(ROOM).at(-1)).toContain('four five');
  });

  it('change with the choices of moderators while they run', async () => {
    await using stage = await openCaptioned();
    const [told, agreed] = [sentence('room.notice'), sentence('room.notice-agreed')];
    const notices = () =>
      stage.place.texts(ROOM).filter((text) => text === told || text === agreed);
    await stage.choose({ partials: true });
    await stage.place.speak('ann', 'a long speech', 4_000);
    await stage.pass(0);
    expect(stage.sent.length).toBeGreaterThan(1);
    expect(notices()).toHaveLength(1);
    expect(stage.place.subscribed()).toEqual(['ann', 'bob']);
    await stage.pass(2_000);
    await stage.choose({ consent: 'agreed' });
    expect(stage.place.subscribed()).toEqual([]);
    await stage.pass(2_000);
    expect(notices()).toHaveLength(2);
    await stage.press('captions in', 'ann');
    expect(stage.place.subscribed()).toEqual(['ann']);
  });
});
