import { describe, expect, it } from 'vitest';
import { parseToc } from '../../../src/audio/opus/packet.ts';
import { AppError } from '../../../src/errors.ts';
import { spokenMs } from '../../../src/voice/tts/speech-item.ts';
import { realTexts as texts } from '../../fakes/texts.ts';
import {
  human,
  isText,
  openStage,
  pressesOf,
  robot,
  ROOM,
  settle,
  SPACE,
  type Stage,
} from './room-harness.ts';
import { sentence, sentenceLike } from '../../fakes/sentences.ts';

const open = async (choices = {}): Promise<Stage> => {
  const stage = await openStage({ spokenNotice: false, partials: false, ...choices });
  stage.place.enter(ROOM, human('ann', 'Ann'));
  await stage.join();
  return stage;
};
const shown = (stage: Stage): string => stage.place.texts(ROOM).join('\n');

describe('informing people', () => {
  it('comes before listening: in writing, with buttons, and aloud', async () => {
    await using stage = await open({ spokenNotice: true });
    const starting = stage.room().startCaptions({ languages: [] });
    await settle();
    const [notice] = stage.place.contents(ROOM);
    expect(stage.place.texts(ROOM)[0]).toContain(sentence('room.notice'));
    expect(pressesOf(notice)).toEqual(['captions in', 'captions out']);
    await stage.place.speak('ann', 'too early', 200);
    expect(stage.place.handedOver.size).toBe(0);
    await stage.pass(10_000);
    await starting;
    expect(stage.said().join(' ')).toBe(sentence('room.spoken-notice'));
    expect(stage.place.subscribed()).toEqual(['ann']);
    await stage.say('ann', 'now');
    expect(shown(stage)).toContain('now');
  });

  it('answers who starts captions at once, and captions people from when they were told', async () => {
    await using stage = await open({ spokenNotice: true });
    const beforeMs = stage.clock.nowMs();
    await stage.room().startCaptions({ languages: [] });
    expect(stage.clock.nowMs()).toBe(beforeMs);
    expect(stage.room().captions).toBeDefined();
    expect(stage.place.texts(ROOM)[0]).toContain(sentence('room.notice'));
    await stage.place.speak('ann', 'too early', 400);
    expect(stage.place.handedOver.size).toBe(0);
    await stage.pass(15_000);
    await stage.say('ann', 'now');
    expect(stage.sent).toEqual([['now']]);
    expect(stage.said().join(' ')).toBe(sentence('room.spoken-notice'));
  });

  it('comes to those who are late, by name, before listening to them', async () => {
    await using stage = await open();
    await stage.room().startCaptions({ languages: [] });
    stage.place.enter(ROOM, human('bob', 'Bob'), robot('music'));
    await stage.place.speak('bob', 'too early', 500);
    await stage.pass(2_000);
    expect(stage.place.texts(ROOM).at(-1)).toMatch(/^Bob: /);
    expect(stage.place.subscribed()).toEqual(['ann', 'bob']);
    expect(stage.sent).toEqual([]);
    await stage.say('music', 'la la la');
    expect(stage.sent).toEqual([]);
  });

  it('that fails lets the bot listen to nobody new, is reported once, and is made good', async () => {
    await using stage = await open();
    await stage.room().startCaptions({ languages: [] });
    stage.place.faults.post = (_, { controls }) =>
      controls ? new AppError('unavailable', 'down', { retryable: true }) : undefined;
    stage.place.enter(ROOM, human('bob'));
    await stage.pass(25_000);
    expect(stage.place.subscribed()).toEqual(['ann']);
    const told = () =>
      stage.place.texts(ROOM).filter((text) => sentenceLike('room.untold').test(text));
    expect(told()).toHaveLength(1);
    stage.place.faults.post = undefined;
    await stage.pass(12_000);
    expect(stage.place.subscribed()).toEqual(['ann', 'bob']);
    expect(told()).toHaveLength(0);
    expect(stage.place.texts(ROOM)).toContain(sentence('room.told'));
  });

  it('waits three seconds at most for a voice, and says nothing of one that is not there', async () => {
    await using stage = await open({ spokenNotice: true });
    stage.script.dumb = new AppError('unavailable', 'no voice');
    const starting = stage.room().startCaptions({ languages: ['de', 'ja'] });
    await stage.pass(3_100);
    await starting;
    expect(stage.place.subscribed()).toEqual(['ann']);
    await stage.pass(60_000);
    expect(shown(stage)).not.toMatch(sentenceLike('room.not-said'));
  });

  it('begins with a sound of a third of a second, whatever the voice does', async () => {
    await using stage = await open({ spokenNotice: true });
    stage.script.dumb = new AppError('unavailable', 'no voice');
    await stage.room().startCaptions({ languages: [] });
    await stage.pass(500);
    const sound = stage.place.played.filter((packet) => !isText(packet));
    expect(sound).toHaveLength(16);
    expect(parseToc(sound[0]!.data)).toMatchObject({ samples: 960 });
  });

  it('is spoken in three seconds at most, in every language', () => {
    for (const locale of texts.locales)
      for (const key of [
        'room.spoken-notice',
        'room.spoken-notice-agreed',
        'room.spoken-listens',
      ] as const)
        expect(spokenMs(texts.in(locale)(key)), `${key} in ${locale}`).toBeLessThanOrEqual(3_000);
  });
});

describe('being left out', () => {
  const waysOut: readonly [string, (stage: Stage) => Promise<unknown>][] = [
    ['by the button', (stage) => stage.press('captions out', 'ann')],
    ['by /privacy', (stage) => stage.press('privacy out', 'ann')],
    ['by being forgotten', (stage) => stage.press('privacy sure', 'ann')],
  ];

  it.each(waysOut)(
    '%s holds at once, for what was said, is said and is being recognised',
    async (_, leave) => {
      await using stage = await open();
      stage.place.enter(ROOM, human('bob', 'Bob'));
      await stage.room().startCaptions({ languages: [] });
      await stage.say('bob', 'bob stays');
      await stage.say('ann', 'said before');
      const held = Promise.withResolvers<void>();
      stage.script.hearing = held.promise;
      await stage.say('ann', 'being recognised');
      await stage.place.speak('ann', 'being said', 500);
      await leave(stage);
      expect(stage.place.subscribed()).toEqual(['bob']);
      held.resolve();
      await stage.pass(5_000);
      expect(shown(stage)).toContain('bob stays');
      for (const gone of ['said before', 'being recognised', 'being said'])
        expect(shown(stage)).not.toContain(gone);
      const file = await stage.room().transcript('txt');
      expect(Buffer.from(file!.bytes).toString()).not.toContain('said before');
      const sent = stage.sent.length;
      await stage.say('ann', 'not heard');
      expect(stage.sent).toHaveLength(sent);
    },
  );

  it('also removes the speech from captions that have ended, and of a room that the bot left', async () => {
    await using stage = await open();
    stage.place.enter(ROOM, human('bob', 'Bob'));
    const textOf = async (): Promise<string> => {
      const record = stage.rooms.of(SPACE) ?? stage.rooms.lastRecord(SPACE);
      return Buffer.from((await record!.transcript('txt'))!.bytes).toString();
    };
    await stage.room().startCaptions({ languages: [] });
    await stage.say('ann', 'from ann');
    await stage.say('bob', 'from bob');
    await stage.room().stopCaptions();
    expect(await textOf()).toContain('from ann');
    await stage.press('captions out', 'ann');
    expect(await textOf()).not.toContain('from ann');
    await stage.room().leave();
    await stage.press('privacy out', 'bob');
    expect(
      stage.rooms.lastRecord(SPACE) && (await stage.rooms.lastRecord(SPACE)!.transcript('txt')),
    ).toBeUndefined();
  });

  it('lasts, in the next captions too, until somebody agrees again', async () => {
    await using stage = await open();
    await stage.press('captions out', 'ann');
    await stage.room().startCaptions({ languages: [] });
    await stage.pass(2_000);
    expect(stage.place.subscribed()).toEqual([]);
    await stage.press('captions in', 'ann');
    expect(stage.place.subscribed()).toEqual(['ann']);
  });

  it('of everything overrides an agreement, and ends when somebody takes part again', async () => {
    await using stage = await open();
    await stage.room().startCaptions({ languages: [] });
    await stage.press('privacy out', 'ann');
    await stage.rooms.choose(SPACE, 'ann', 'allowed');
    expect(stage.place.subscribed()).toEqual([]);
    await stage.press('privacy in', 'ann');
    await settle();
    expect(stage.place.subscribed()).toEqual(['ann']);
  });

  it('holds for what is still being recognised when captions end', async () => {
    await using stage = await open();
    await stage.room().startCaptions({ languages: [] });
    await settle();
    const held = Promise.withResolvers<void>();
    stage.script.hearing = held.promise;
    await stage.place.speak('ann', 'last words');
    const stopping = stage.room().stopCaptions();
    await settle();
    expect(stage.sent).toEqual([['last words']]);
    await stage.press('captions out', 'ann');
    held.resolve();
    await stage.pass(6_000);
    await stopping;
    expect(await stage.used()).toMatchObject({ audioMs: 0 });
  });

  it.each(waysOut.slice(0, 2))(
    '%s holds in captions that begin before it is written down, and where it cannot be',
    async (_, leave) => {
      await using stage = await open();
      stage.place.enter(ROOM, human('bob', 'Bob'));
      const held = Promise.withResolvers<void>();
      stage.script.storing = held.promise;
      const leaving = leave(stage).catch(() => undefined);
      await settle();
      await stage.room().startCaptions({ languages: [] });
      await stage.pass(2_000);
      expect(stage.place.subscribed()).toEqual(['bob']);
      held.reject(new Error('the disk is full'));
      await leaving;
      await stage.room().stopCaptions();
      await stage.room().startCaptions({ languages: [] });
      await stage.pass(2_000);
      expect(stage.place.subscribed()).toEqual(['bob']);
    },
  );

  it('removes the speech from captions that were ended while they began', async () => {
    await using stage = await open();
    const first = Promise.withResolvers<void>();
    stage.place.faults.posting = first.promise;
    const starting = stage.room().startCaptions({ languages: [] });
    starting.catch(() => undefined);
    await settle();
    stage.place.enter(ROOM, human('bob'));
    const second = Promise.withResolvers<void>();
    stage.place.faults.posting = second.promise;
    first.resolve();
    await settle();
    await stage.say('ann', 'half begun');
    expect(stage.sent).toEqual([['half begun']]);
    const stopping = stage.room().stopCaptions();
    await settle();
    await stage.press('captions out', 'ann');
    second.resolve();
    await stage.pass(5_000);
    await stopping;
    expect(shown(stage)).not.toContain('half begun');
  });

  it('keeps nothing of who chose once it is written down', async () => {
    await using stage = await open();
    await Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        stage.rooms.choose(SPACE, `p${at}`, at % 2 === 0 ? 'allowed' : 'refused'),
      ),
    );
    await stage.room().startCaptions({ languages: [] });
    stage.place.enter(ROOM, human('p0'), human('p1'));
    await stage.pass(2_000);
    expect(stage.place.subscribed()).toEqual(['ann', 'p0']);
  });
});

describe('where the bot listens only to people who agree', () => {
  it('nobody is, until they say so', async () => {
    await using stage = await open({ consent: 'agreed' });
    await stage.room().startCaptions({ languages: [] });
    await stage.say('ann', 'not yet');
    expect(stage.sent).toEqual([]);
    await stage.press('captions in', 'ann');
    await stage.say('ann', 'now');
    expect(shown(stage)).toContain('now');
    await stage.press('captions out', 'ann');
    expect(stage.place.subscribed()).toEqual([]);
  });
});
