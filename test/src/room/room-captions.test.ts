import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { CHAT, human, openStage, OTHER, ROOM, settle, SPACE, type Stage } from './stage.ts';

const gone = (): AppError => new AppError('not-found', 'gone');
const away = (): AppError => new AppError('unavailable', 'away', { retryable: true });

/** With Ann and Bob in the room, and captions on. */
const open = async (wish = {}, choices = {}): Promise<Stage> => {
  const stage = await openStage({ spokenNotice: false, partials: false, ...choices });
  stage.place.enter(ROOM, human('ann', 'Ann'), human('bob', 'Bob'));
  await stage.join();
  await stage.room().startCaptions({ languages: [], ...wish });
  await settle();
  return stage;
};
const ends = (stage: Stage, of = ROOM): readonly string[] =>
  stage.place.texts(of).filter((text) => text.startsWith('The captions ended'));

describe('captions of a room', () => {
  it('show what people say and its translation, and end with a line', async () => {
    await using stage = await open({ languages: ['es'] });
    await stage.say('ann', 'hello there');
    await stage.pass(2_000);
    expect(stage.place.texts(ROOM).at(-1)).toBe('**Ann**: hello there\n↳ 🇪🇸 es:hello there');
    expect(await stage.room().stopCaptions()).toBe(true);
    expect(ends(stage)).toHaveLength(1);
    expect(await stage.room().stopCaptions()).toBe(false);
    await stage.say('ann', 'nobody listens');
    expect(stage.sent).toHaveLength(1);
  });

  it('write down what was being said when they were ended', async () => {
    await using stage = await open();
    await stage.place.speak('ann', 'almost done');
    await stage.room().stopCaptions();
    expect(stage.place.texts(ROOM).join('\n')).toContain('almost done');
  });

  it('end in bounded time while everybody goes on talking and the service is slow', async () => {
    await using stage = await open();
    stage.script.hearing = new Promise(() => undefined);
    await stage.place.speak('ann', 'first words');
    let hasEnded = false;
    void stage
      .room()
      .stopCaptions()
      .then(() => (hasEnded = true));
    for (let second = 0; second < 9; second += 1) await stage.place.speak('bob', `and ${second}`);
    await settle();
    expect(hasEnded).toBe(true);
  });

  it('begin again, and take no line of the time between', async () => {
    await using stage = await open();
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

  it('of which nothing was said leave the transcript of those before', async () => {
    await using stage = await open();
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

  it('end once when two people end them at the same moment', async () => {
    await using stage = await open();
    const room = stage.room();
    const both = await Promise.all([room.stopCaptions(), room.stopCaptions()]);
    expect(both).toEqual([true, false]);
    expect(ends(stage)).toHaveLength(1);
  });

  it('do not begin where we leave meanwhile, and nobody is told that they did', async () => {
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
    await expect(room.say({ text: 'hello', kind: 'say' })).rejects.toMatchObject({
      sentence: { key: 'room.none' },
    });
    expect(stage.place.where()).toBeUndefined();
    expect(stage.place.heard()).toEqual([]);
  });

  it('do not begin where people cannot be told, and what was captioned before is kept', async () => {
    await using stage = await open();
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
    expect(stage.place.heard()).toEqual([]);
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

  it('say in another channel whose they are, and do not begin where they cannot be shown', async () => {
    await using stage = await open({ in: CHAT });
    expect(stage.place.texts(CHAT)).toEqual([expect.stringContaining('<#room>')]);
    await stage.room().stopCaptions();
    stage.place.faults.post = ({ id }) =>
      id === 'chat' ? new AppError('forbidden', 'not there') : undefined;
    await expect(stage.room().startCaptions({ languages: [], in: CHAT })).rejects.toMatchObject({
      code: 'forbidden',
    });
    expect(stage.room().captions).toBeUndefined();
  });

  it('wait where they may not be shown any more, and the room is told', async () => {
    await using stage = await open({ in: CHAT });
    stage.place.faults.post = ({ id }) =>
      id === 'chat' ? new AppError('forbidden', 'not there') : undefined;
    await stage.say('ann', 'hello');
    expect(stage.place.texts(ROOM).at(-1)).toMatch(/^The captions wait: I cannot show them\. ./);
    stage.place.faults.post = undefined;
    await stage.pass(31_000);
    expect(stage.place.texts(CHAT).at(-1)).toContain('hello');
    expect(stage.place.texts(ROOM).at(-1)).toBe('The captions are shown again.');
  });

  it('end when the place where they are shown is gone, and the room is told, with the transcript', async () => {
    await using stage = await open({ in: CHAT, transcript: 'txt' });
    stage.place.faults.post = ({ id }) => (id === 'chat' ? gone() : undefined);
    await stage.say('ann', 'hello');
    await stage.pass(1_000);
    expect(stage.room().captions).toBeUndefined();
    expect(stage.place.heard()).toEqual([]);
    expect(ends(stage)).toHaveLength(1);
    const [file] = stage.place.contents(ROOM).at(-1)?.files ?? [];
    expect(Buffer.from(file!.bytes).toString()).toContain('hello');
  });

  it('post the transcript when they end, if somebody wished it and anything was said', async () => {
    await using stage = await open({ transcript: 'txt' });
    await stage.room().stopCaptions();
    expect(stage.place.contents(ROOM).at(-1)?.files).toEqual([]);
    await stage.room().startCaptions({ languages: [], transcript: 'txt' });
    await stage.say('ann', 'for the record');
    await stage.room().leave();
    const [file] = stage.place.contents(ROOM).at(-1)?.files ?? [];
    expect(Buffer.from(file!.bytes).toString()).toContain('for the record');
  });

  it('tell their end even where the transcript is not taken', async () => {
    await using stage = await open({ transcript: 'txt' });
    await stage.say('ann', 'for the record');
    stage.place.faults.post = (_, { files }) =>
      files?.length ? new AppError('too-large', 'too large') : undefined;
    await stage.room().stopCaptions();
    expect(ends(stage)).toHaveLength(1);
  });

  it('can still be had for half an hour after we left, also when we were elsewhere since', async () => {
    await using stage = await open();
    await stage.say('ann', 'remember this');
    await stage.room().leave();
    stage.place.enter(OTHER, human('cid'));
    await (await stage.join(OTHER)).leave();
    const left = stage.rooms.left(SPACE);
    expect([...left!.people].toSorted()).toEqual(['ann', 'bob']);
    const file = await left!.transcript('txt');
    expect(Buffer.from(file!.bytes).toString()).toContain('remember this');
    await stage.pass(30 * 60_000);
    expect(stage.rooms.left(SPACE)).toBeUndefined();
  });

  it('are kept once, by one timer, however often we leave', async () => {
    await using stage = await open();
    for (const word of ['one', 'two', 'three']) {
      await stage.say('ann', word);
      stage.place.exit(ROOM, 'ann', 'bob');
      await stage.room().leave();
      await settle();
      expect(stage.clock.waiting).toBe(1);
      stage.place.enter(ROOM, human('ann', 'Ann'), human('bob', 'Bob'));
      await (await stage.join()).startCaptions({ languages: [] });
      await settle();
    }
    await stage.end();
    expect(stage.clock.waiting).toBe(0);
  });

  it('write names with markup as names', async () => {
    await using stage = await open();
    stage.place.enter(ROOM, human('eve', '**[x](http://y)** <@1>'));
    await stage.pass(2_000);
    await stage.say('eve', 'hello');
    const shown = stage.place.texts(ROOM).join('\n');
    expect(shown).not.toContain('**[x](');
    expect(shown).not.toContain('<@1>');
    expect(shown).toContain('hello');
  });

  it('are heard in a room of three hundred, who are told in a message of ordinary length', async () => {
    await using stage = await open();
    const many = Array.from({ length: 300 }, (_, at) =>
      human(`p${at}`, `A rather long name ${at}`),
    );
    stage.place.enter(ROOM, ...many);
    await stage.pass(2_000);
    expect(stage.place.heard()).toHaveLength(302);
    expect(Math.max(...stage.place.texts(ROOM).map(({ length }) => length))).toBeLessThan(1_000);
    await stage.say('p299', 'from the back');
    expect(stage.place.texts(ROOM).at(-1)).toContain('from the back');
  });

  it('tell once that the service is away, and once that it is back', async () => {
    await using stage = await open();
    stage.script.deaf = away();
    for (const word of ['one', 'two', 'three']) await stage.say('ann', word);
    const lines = () => stage.place.texts(ROOM).filter((text) => text.includes('write down'));
    expect(lines()).toHaveLength(1);
    expect(lines()[0]).toContain('cannot');
    stage.script.deaf = undefined;
    for (const word of ['four', 'five']) await stage.say('bob', word);
    expect(lines()).toEqual(['I can write down what is said again.']);
    expect(stage.place.texts(ROOM).at(-1)).toContain('four five');
  });

  it('go on after the connection was away, which is told in one line', async () => {
    await using stage = await open();
    stage.place.connection(false);
    await stage.pass(5_000);
    expect(stage.place.texts(ROOM).at(-1)).toContain('is lost');
    stage.place.connection(true);
    await stage.pass(1_000);
    expect(stage.place.texts(ROOM).at(-1)).toBe('The connection is there again.');
    await stage.say('ann', 'still here');
    expect(stage.place.texts(ROOM).at(-1)).toContain('still here');
  });

  it('tell whom we cannot hear, and that we can again', async () => {
    await using stage = await open();
    stage.place.audible('ann', false);
    await stage.pass(0);
    expect(stage.place.texts(ROOM).at(-1)).toBe('I cannot hear Ann; trying again');
    stage.place.audible('ann', true);
    await stage.pass(0);
    expect(stage.place.texts(ROOM).at(-1)).toBe('I can hear Ann again.');
  });

  it('say so when somebody left whom we could not hear', async () => {
    await using stage = await open();
    stage.place.audible('ann', false);
    await stage.pass(0);
    stage.place.exit(ROOM, 'ann');
    await stage.pass(0);
    expect(stage.place.texts(ROOM).at(-1)).toBe('Ann has left; I could not hear them.');
    stage.place.enter(ROOM, human('ann', 'Ann'));
    stage.place.audible('ann', true);
    await stage.pass(0);
    expect(stage.place.texts(ROOM).join()).not.toContain('I can hear Ann again');
  });

  it('say once that seconds never arrived, whoever missed them', async () => {
    await using stage = await open();
    const told = () =>
      stage.place.texts(ROOM).filter((text) => text.includes('nothing reached me'));
    stage.place.missed(9_600);
    stage.place.missed(9_800);
    await stage.pass(20_000);
    stage.place.missed(2_000);
    await stage.pass(0);
    expect(told()).toEqual([
      'For about 10 seconds nothing reached me from this voice channel. What was said then is missing.',
    ]);
    await stage.pass(15_000);
    stage.place.missed(1_000);
    await stage.pass(0);
    expect(told()).toHaveLength(2);
  });

  it('do not say twice what is missing: the connection was known to be lost', async () => {
    await using stage = await open();
    stage.place.connection(false);
    await stage.pass(5_000);
    stage.place.connection(true);
    stage.place.missed(5_000);
    await stage.pass(0);
    expect(stage.place.texts(ROOM).join()).not.toContain('nothing reached me');
  });

  it.each([
    ['somebody throws us out', (stage: Stage) => stage.place.kick()],
    ['the connection is lost', (stage: Stage) => stage.place.lose(away())],
  ])('end with everything of the room when %s', async (_, end) => {
    await using stage = await open();
    await stage.say('ann', 'hello');
    end(stage);
    await stage.pass(20_000);
    expect(ends(stage)).toHaveLength(1);
    expect(stage.rooms.of(SPACE)).toBeUndefined();
    await stage.pass(31 * 60_000);
    expect(stage.clock.waiting).toBe(0);
  });

  it('end with the room although nothing can be posted any more', async () => {
    await using stage = await open({ transcript: 'json' });
    await stage.say('ann', 'hello');
    stage.place.faults.post = gone;
    stage.place.kick();
    await stage.pass(20_000);
    expect(stage.rooms.of(SPACE)).toBeUndefined();
  });

  it('end with the program, in bounded time and with their transcript', async () => {
    await using stage = await open({ transcript: 'txt' });
    await stage.say('ann', 'the last words');
    stage.script.hearing = new Promise(() => undefined);
    await stage.place.speak('bob', 'never understood');
    const ending = stage.end();
    await stage.pass(3_000);
    await ending;
    const [file] = stage.place.contents(ROOM).at(-1)?.files ?? [];
    expect(Buffer.from(file!.bytes).toString()).toContain('the last words');
    expect(stage.place.where()).toBeUndefined();
    expect(stage.clock.waiting).toBe(0);
  });

  it('end with the program within six seconds although nothing is answered any more', async () => {
    await using stage = await open({ languages: ['es'], transcript: 'txt' });
    await stage.say('ann', 'the last words');
    stage.place.faults.posting = new Promise(() => undefined);
    await stage.say('ann', 'never shown');
    stage.script.hearing = new Promise(() => undefined);
    await stage.place.speak('bob', 'never understood');
    let hasEnded = false;
    void stage.end().then(() => (hasEnded = true));
    await stage.pass(6_000);
    expect(hasEnded).toBe(true);
  });

  it('do not keep the program from ending while they begin, and leave no heading then', async () => {
    await using stage = await openStage({ spokenNotice: false });
    stage.place.enter(ROOM, human('ann'));
    const room = await stage.join();
    const held = Promise.withResolvers<void>();
    stage.place.faults.posting = held.promise;
    const failed = expect(room.startCaptions({ languages: [], in: CHAT })).rejects.toMatchObject({
      name: 'AppError',
    });
    await settle();
    let hasEnded = false;
    void stage.end().then(() => (hasEnded = true));
    await stage.pass(6_000);
    expect(hasEnded).toBe(true);
    held.resolve();
    await failed;
    await settle();
    expect(stage.place.texts(CHAT)).toEqual([]);
  });

  it('change with the choices of moderators while they run', async () => {
    await using stage = await open();
    const notices = () =>
      stage.place.texts(ROOM).filter((text) => text.includes('Captions are on'));
    await stage.choose({ partials: true });
    await stage.place.speak('ann', 'a long speech', 4_000);
    await stage.pass(0);
    expect(stage.sent.length).toBeGreaterThan(1);
    expect(notices()).toHaveLength(1);
    expect(stage.place.heard()).toEqual(['ann', 'bob']);
    await stage.pass(2_000);
    await stage.choose({ consent: 'agreed' });
    expect(stage.place.heard()).toEqual([]);
    await stage.pass(2_000);
    expect(notices()).toHaveLength(2);
    await stage.press('captions in', 'ann');
    expect(stage.place.heard()).toEqual(['ann']);
  });
});

describe('being moved to another room', () => {
  it('tells new people there before they are heard, and takes the captions along', async () => {
    await using stage = await open();
    const { place } = stage;
    await stage.say('ann', 'in the first room');
    place.enter(OTHER, human('cid', 'Cid'));
    place.exit(ROOM, 'ann');
    place.enter(OTHER, human('ann', 'Ann'));
    place.move(OTHER);
    await stage.pass(0);
    expect(place.heard()).toEqual(['ann']);
    await place.speak('cid', 'not yet');
    await stage.pass(2_000);
    expect(place.handedOver.has('cid')).toBe(false);
    expect(place.texts(OTHER)[0]).toContain('Captions are on');
    expect(place.heard()).toEqual(['ann', 'cid']);
    await stage.say('cid', 'hello from here');
    expect(place.texts(OTHER).at(-1)).toContain('hello from here');
    expect(place.texts(ROOM).at(-1)).toContain('<#other>');
    expect(stage.room().captions?.in).toEqual(OTHER);
    const file = await stage.room().transcript('txt');
    const text = Buffer.from(file!.bytes).toString();
    expect(text).toContain('in the first room');
    expect(text).toContain('hello from here');
  });

  it.each([
    ['is no loss of the connection', 4_000, false],
    ['is one where it does not come back', 6_000, true],
  ])('%s', async (_, awayMs, isTold) => {
    await using stage = await open();
    stage.place.enter(OTHER, human('ann', 'Ann'));
    stage.place.move(OTHER);
    stage.place.connection(false);
    await stage.pass(awayMs);
    stage.place.connection(true);
    await stage.pass(1_000);
    expect(stage.place.texts(OTHER).includes('The connection is there again.')).toBe(isTold);
  });

  it('shows what was said before in the old room alone, however late it comes', async () => {
    await using stage = await open();
    const heard = Promise.withResolvers<void>();
    stage.script.hearing = heard.promise;
    await stage.say('ann', 'only for those here');
    stage.place.enter(OTHER, human('bob', 'Bob'));
    stage.place.move(OTHER);
    heard.resolve();
    await stage.pass(2_000);
    await stage.say('bob', 'and for those there');
    expect(stage.place.texts(ROOM).join()).toContain('only for those here');
    expect(stage.place.texts(OTHER).join()).not.toContain('only for those here');
    expect(stage.place.texts(OTHER).join()).toContain('and for those there');
    expect(stage.place.texts(ROOM).join()).not.toContain('and for those there');
  });

  it('leaves captions where somebody wanted them', async () => {
    await using stage = await open({ in: CHAT });
    stage.place.enter(OTHER, human('cid'));
    stage.place.move(OTHER);
    await stage.pass(2_000);
    await stage.say('cid', 'hello');
    expect(stage.place.texts(CHAT).at(-1)).toContain('hello');
  });

  it('does not end captions because the old room is gone', async () => {
    await using stage = await open();
    const held = Promise.withResolvers<void>();
    stage.place.faults.posting = held.promise;
    await stage.say('ann', 'just before');
    stage.place.enter(OTHER, human('ann', 'Ann'));
    stage.place.move(OTHER);
    stage.place.faults.post = ({ id }) => (id === 'room' ? gone() : undefined);
    stage.place.faults.posting = undefined;
    held.resolve();
    await stage.pass(2_000);
    await stage.say('ann', 'just after');
    expect(stage.place.texts(OTHER).at(-1)).toContain('just after');
  });

  it('takes what grows in the old room away', async () => {
    await using stage = await open({}, { partials: true });
    await stage.place.speak('ann', 'growing and growing', 5_000);
    await settle();
    expect(stage.place.texts(ROOM).at(-1)).toContain('growing');
    stage.place.exit(ROOM, 'bob');
    stage.place.enter(OTHER, human('bob'));
    stage.place.move(OTHER);
    await stage.pass(5_000);
    expect(stage.place.texts(ROOM).join('\n')).not.toContain('…');
  });
});
