import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { away, openCaptioned, ROOM, transcriptOf, type Stage } from './room-harness.ts';
import { sentence, sentenceLike } from '../../fakes/sentences.ts';

const lost = sentenceLike('room.lines-lost');

describe('an outage that is longer than is waited for', () => {
  const breakDown = async (stage: Stage): Promise<void> => {
    await stage.say('ann', 'before');
    stage.script.deaf = away();
    for (let at = 0; at < 12; at += 1) await stage.say('ann', `lost ${at}`);
    await stage.pass(60_000);
    stage.script.deaf = undefined;
  };

  it('leaves a mark in the chat and in the transcript once it is over', async () => {
    await using stage = await openCaptioned();
    await breakDown(stage);
    expect(stage.place.texts(ROOM)).toContain(sentence('room.trouble-away'));
    await stage.say('ann', 'after');
    await stage.pass(10_000);
    const marks = stage.place.texts(ROOM).filter((text) => lost.test(text));
    expect(marks).toHaveLength(1);
    expect(marks[0]).toMatch(/^\D*12 /);
    const lines = (await transcriptOf(stage)).split('\n').filter((line) => line !== '');
    const at = lines.findIndex((line) =>
      line.includes(sentence('room.lines-lost-here', { count: 12 })),
    );
    expect(at).toBeGreaterThan(lines.findIndex((line) => line.includes('before')));
    expect(at).toBeLessThan(lines.findIndex((line) => line.includes('after')));
  });

  it('leaves the mark also where captions end before it is over', async () => {
    await using stage = await openCaptioned();
    await breakDown(stage);
    await stage.room().stopCaptions();
    expect(stage.place.texts(ROOM).filter((text) => lost.test(text))).toHaveLength(1);
    expect(await transcriptOf(stage)).toContain(sentence('room.lines-lost-here', { count: 12 }));
  });
});

it('speech is not said to be transcribed again while lines wait behind the one that was', async () => {
  await using stage = await openCaptioned();
  const again = () =>
    stage.place.history.filter(({ text }) => text.includes(sentence('room.recognised-again')));
  stage.script.deaf = away();
  await stage.say('ann', 'first');
  await stage.pass(5_000);
  expect(stage.place.texts(ROOM)).toContain(sentence('room.trouble-away'));
  stage.script.deaf = undefined;
  const [slow, hanging] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  stage.script.hearing = slow.promise;
  await stage.pass(4_900);
  slow.resolve();
  stage.script.hearing = hanging.promise;
  await stage.say('ann', 'second');
  await stage.pass(12_000);
  expect(again()).toEqual([]);
  stage.script.hearing = undefined;
  hanging.resolve();
  await stage.pass(20_000);
  expect(again()).not.toEqual([]);
});

it('people are told whose captions are late', async () => {
  await using stage = await openCaptioned();
  const hanging = Promise.withResolvers<void>();
  stage.script.hearing = hanging.promise;
  await stage.say('ann', 'first');
  await stage.pass(9_000);
  const late = sentenceLike('room.behind', { names: 'Ann' });
  expect(stage.place.texts(ROOM).filter((text) => late.test(text))).toHaveLength(1);
  hanging.resolve();
});

it('refusals that come and go leave no note', async () => {
  await using stage = await openCaptioned();
  const busy = new AppError('rate-limited', 'busy', { retryable: true, retryAfterMs: 1_000 });
  for (let at = 0; at < 10; at += 1) {
    stage.script.deaf = busy;
    await stage.say('ann', `line ${at}`);
    stage.script.deaf = undefined;
    await stage.pass(3_000);
  }
  await stage.pass(20_000);
  const shown = stage.place.history.map(({ text }) => text).join('\n');
  expect(shown).not.toContain(sentence('room.trouble-busy'));
  expect(shown).not.toContain(sentence('room.recognised-again'));
  expect(shown).toContain('line 9');
});

it('a refusal of one utterance is marked as a lost line, and no trouble of the room', async () => {
  await using stage = await openCaptioned();
  stage.script.deaf = new AppError('bad-input', 'the service answered 400');
  await stage.say('ann', 'refused');
  stage.script.deaf = undefined;
  await stage.pass(4_000);
  await stage.say('ann', 'heard');
  await stage.pass(1_000);
  const shown = stage.place.texts(ROOM);
  expect(shown.filter((text) => sentenceLike('room.not-recognised').test(text))).toEqual([]);
  expect(shown.filter((text) => lost.test(text))).toHaveLength(1);
  expect(await transcriptOf(stage)).toContain(sentence('room.lines-lost-here', { count: 1 }));
});

it('names a person whose speech alone is refused', async () => {
  await using stage = await openCaptioned();
  for (let at = 0; at < 3; at += 1) {
    stage.script.deaf = new AppError('bad-input', 'the service answered 400');
    await stage.say('ann', 'refused');
    stage.script.deaf = undefined;
    await stage.say('bob', `heard ${at}`);
  }
  const note = sentence('room.refused', { name: 'Ann' });
  expect(stage.place.texts(ROOM).filter((text) => text.includes(note))).toHaveLength(1);
});

it('counts clear speech that comes back without words', async () => {
  await using stage = await openCaptioned();
  stage.script.heard = { language: '', confidence: 0, text: '' };
  await stage.place.speak('ann', 'a long line', 4_000);
  await stage.pass(1_000);
  expect(stage.room().withheld()).toMatchObject({ wordless: 1 });
});
