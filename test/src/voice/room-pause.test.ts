import { describe, expect, it } from 'vitest';
import { human, openStage, ROOM } from './room-harness.ts';
import { sentenceLike } from '../../fakes/sentences.ts';

describe('the pause that ends an utterance', () => {
  it('is what moderators chose, and a change holds at once, without a notice', async () => {
    await using stage = await openStage();
    stage.place.enter(ROOM, human('ann', 'Ann'), human('bob', 'Bob'));
    await stage.join();
    await stage.room().startCaptions({ languages: [] });
    await stage.choose({ pauseMs: 1_500 });
    await stage.place.speak('ann', 'one');
    await stage.pass(1_000);
    expect(stage.sent).toEqual([]);
    await stage.place.speak('ann', 'two');
    await stage.pass(1_600);
    expect(stage.sent).toEqual([['one', 'two']]);
    await stage.place.speak('ann', 'three');
    await stage.choose({ pauseMs: 400 });
    expect(stage.sent[1]).toEqual(['three']);
    await stage.place.speak('ann', 'four');
    await stage.pass(420);
    expect(stage.sent[2]).toEqual(['four']);
    await stage.pass(5_000);
    expect(stage.place.subscribed()).toEqual(['ann', 'bob']);
    const notices = stage.place
      .texts(ROOM)
      .filter((text) => sentenceLike('room.notice').test(text));
    expect(notices).toHaveLength(1);
    expect(stage.room().recentCaptions()).toEqual(['Ann: one two', 'Ann: three', 'Ann: four']);
  });

  it('is the usual one where the room only listens for the bot’s name', async () => {
    await using stage = await openStage({ spokenNotice: false, wakeWord: true, pauseMs: 1_500 });
    stage.place.enter(ROOM, human('ann', 'Ann'));
    await stage.join();
    await stage.pass(2_000);
    await stage.place.speak('ann', 'what is six times seven');
    await stage.pass(620);
    expect(stage.sent).toEqual([['what is six times seven']]);
  });
});
