import { describe, expect, it } from 'vitest';
import { CHAT, gone, human, openCaptioned, OTHER, ROOM, settle } from './room-harness.ts';
import { sentence } from '../../fakes/sentences.ts';

describe('being moved to another room', () => {
  it('informs new people there before listening to them, and takes the captions along', async () => {
    await using stage = await openCaptioned();
    const { place } = stage;
    await stage.say('ann', 'in the first room');
    place.enter(OTHER, human('cid', 'Cid'));
    place.exit(ROOM, 'ann');
    place.enter(OTHER, human('ann', 'Ann'));
    place.move(OTHER);
    await stage.pass(0);
    expect(place.subscribed()).toEqual(['ann']);
    await place.speak('cid', 'not yet');
    await stage.pass(2_000);
    expect(place.handedOver.has('cid')).toBe(false);
    expect(place.texts(OTHER)[0]).toContain(sentence('room.notice'));
    expect(place.subscribed()).toEqual(['ann', 'cid']);
    await stage.say('cid', 'hello from here');
    expect(place.texts(OTHER).at(-1)).toContain('hello from here');
    expect(place.texts(ROOM).at(-1)).toContain('#other');
    expect(stage.room().captions?.in).toEqual(OTHER);
    const file = await stage.room().transcript('txt');
    const text = Buffer.from(file!.bytes).toString();
    expect(text).toContain('in the first room');
    expect(text).toContain('hello from here');
  });

  it('shows earlier speech in the old room alone, however late it comes', async () => {
    await using stage = await openCaptioned();
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
    await using stage = await openCaptioned({ in: CHAT });
    stage.place.enter(OTHER, human('cid'));
    stage.place.move(OTHER);
    await stage.pass(2_000);
    await stage.say('cid', 'hello');
    expect(stage.place.texts(CHAT).at(-1)).toContain('hello');
  });

  it('does not end captions because the old room is gone', async () => {
    await using stage = await openCaptioned();
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
    await using stage = await openCaptioned({}, { partials: true });
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
