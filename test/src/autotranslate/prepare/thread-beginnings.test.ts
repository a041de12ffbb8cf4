import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { Mirrors } from '../../../../src/ports/mirrors.ts';
import { mirrorOf } from '../../../fakes/autotranslate.ts';
import { channel, lost } from '../../../fakes/channel-feed.ts';
import { ENGLISH, JAPANESE, linked, SPANISH, withScene, type Scene } from '../support.ts';

type OpenThread = Mirrors['openThread'];

/** Lets a second pass, and what was due in it be done. */
const passSecond = async ({ clock }: Scene): Promise<void> => {
  clock.aheadMs += 1_000;
  await vi.advanceTimersByTimeAsync(1_000);
  for (let turn = 0; turn < 50; turn += 1) await setImmediate();
};

/** Has threads begun otherwise than by the platform's own call, which is passed on. */
const beginBy = ({ feed }: Scene, begin: (open: OpenThread) => OpenThread): void => {
  const before = { ...feed.mirrors };
  const open: OpenThread = async (...given) => before.openThread(...given);
  Object.assign(feed.mirrors, { openThread: begin(open) });
};

describe('a copy of a thread whose beginning is not answered', () => {
  const scene = withScene(linked());

  /** The first thread in a channel is begun, and its answer comes when the result is called, as lost. */
  const loseFirstAnswer = (): (() => void) => {
    const answer = Promise.withResolvers<never>();
    answer.promise.catch(() => undefined);
    let isFirst = true;
    beginBy(scene, (open) => async (...given) => {
      const begun = await open(...given);
      if (given[0].id !== SPANISH.id || !isFirst) return begun;
      isFirst = false;
      return answer.promise;
    });
    return () => answer.reject(lost());
  };
  const begin = async (): Promise<void> => {
    await scene.say(scene.feed.startThread(ENGLISH, 'plans'), 'one');
  };
  const expectOne = async (): Promise<void> => {
    for (let tries = 0; tries < 3; tries += 1) await scene.later();
    expect(scene.feed.texts(SPANISH)).toEqual(['🧵 es(plans)']);
  };

  it('is begun once where the answer alone is lost', async () => {
    scene.feed.fail({ call: 'openThread', channel: SPANISH, error: lost(), after: true });
    await begin();
    await scene.idle();
    await expectOne();
  });

  it('is begun once where the answer takes longer than the wait, and is lost then', async () => {
    const lose = loseFirstAnswer();
    await begin();
    for (let seconds = 0; seconds < 8; seconds += 1) await passSecond(scene);
    lose();
    await expectOne();
  });

  it('is begun once where the program ends while the answer is awaited', async () => {
    loseFirstAnswer();
    await begin();
    for (let seconds = 0; seconds < 8; seconds += 1) await passSecond(scene);
    const over = new AbortController();
    const ending = scene.restart().then(() => over.abort());
    while (!over.signal.aborted) await passSecond(scene);
    await ending;
    await expectOne();
  });
});

describe('a thread that can be begun in none of several channels', () => {
  const sick = ['es', 'fr', 'de', 'it', 'pt'].map(
    (code) => [channel(`sick-${code}`), code] as const,
  );
  const scene = withScene(mirrorOf([ENGLISH, 'en'], ...sick, [JAPANESE, 'ja']));

  it('keeps its message from the others no longer than in one', async () => {
    const hang = Promise.withResolvers<never>();
    hang.promise.catch(() => undefined);
    beginBy(
      scene,
      (open) =>
        async (...given) =>
          given[0].id.startsWith('sick') ? hang.promise : open(...given),
    );
    await scene.say(scene.feed.startThread(ENGLISH, 'plans'), 'one');
    for (let seconds = 0; seconds < 8; seconds += 1) await passSecond(scene);
    const copies = [...scene.feed.threads.keys()].filter((id) => id.startsWith(JAPANESE.id));
    const shown = copies.flatMap((id) => scene.feed.texts(channel(id, JAPANESE.id)));
    hang.reject(lost());
    await scene.later();
    expect(shown).toEqual(['ada: ja(one) [🌐 英語]']);
  });
});
