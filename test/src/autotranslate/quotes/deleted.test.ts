import { describe, expect, it } from 'vitest';
import { mirrorOf } from '../../../fakes/autotranslate.ts';
import { SPACE } from '../../../fakes/channel-feed.ts';
import { AppError } from '../../../../src/errors.ts';
import { ENGLISH, SPANISH, withScene } from '../support.ts';
import { answered, MODERATOR, THERE } from './support.ts';

describe('the quote of a deleted message', () => {
  const scene = withScene(mirrorOf([ENGLISH, 'en'], [SPANISH, 'es'], [THERE, 'ja']));

  it.each<[string, () => Promise<unknown>]>([
    [
      'whose channel its readers mute',
      async () => scene.watches.mute(THERE, 'place english', true),
    ],
    ['that is paused by its readers', async () => scene.watches.pause(THERE, true, MODERATOR)],
    ['that is paused by its writers', async () => scene.watches.pause(ENGLISH, true, MODERATOR)],
    [
      'whose readers are paused for the group',
      async () => scene.watches.hold(SPANISH, 'other there', true),
    ],
    ['that its readers have left', async () => scene.watches.remove(THERE)],
    ['that is no longer linked', async () => scene.watches.remove(ENGLISH)],
    ['whose rows were cleared since', async () => scene.store.deleteFrom('inbox').execute()],
    ['whose answer’s author was banned', async () => scene.listener.memberBanned(SPACE, 'bob')],
    ['at the limit', async () => scene.spaces.change(SPACE, { dailyCharacters: 1 })],
    ['in an outage', async () => void scene.down.add('es').add('ja')],
  ])('goes from every copy of its answer, which stays: %s', async (_, act) => {
    const { ref } = await answered(scene);
    await act();
    await scene.idle();
    scene.feed.calls.length = 0;
    scene.feed.remove(ref);
    await scene.listener.messagesDeleted([ref]);
    await scene.idle();
    for (const texts of [scene.feed.texts(SPANISH), scene.other.texts(THERE)]) {
      expect(texts.join('\n')).not.toContain('secret');
      expect(texts[0]).toMatch(/^bob: (?:es|ja)\(really\) \[/);
    }
    expect(scene.feed.calls).not.toContain('update');
  });

  it('goes from copies that cannot be reached for a while, which other messages do not wait for', async () => {
    const { ref } = await answered(scene);
    const away = new AppError('unavailable', 'it is away', { retryable: true });
    scene.other.sick.set(THERE.id, async () => Promise.reject(away));
    scene.feed.remove(ref);
    await scene.listener.messagesDeleted([ref]);
    await scene.idle();
    expect(scene.feed.texts(SPANISH)).toEqual(['bob: es(really) [🌐 inglés]']);
    expect(scene.other.texts(THERE).join()).toContain('secret');
    scene.other.sick.clear();
    await scene.later();
    expect(scene.other.texts(THERE)).toEqual(['bob: ja(really) [🌐 英語]']);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['its readers have left', async () => scene.watches.remove(THERE)],
    ['its writers have left', async () => scene.watches.remove(ENGLISH)],
  ])(
    'goes like its copies once a platform is back that was away for hours, though %s',
    async (_, act) => {
      const { ref } = await answered(scene);
      await act();
      await scene.idle();
      const away = new AppError('unavailable', 'it is away', { retryable: true });
      scene.other.sick.set(THERE.id, async () => Promise.reject(away));
      scene.feed.remove(ref);
      await scene.listener.messagesDeleted([ref]);
      for (let minutes = 0; minutes < 60; minutes += 1) await scene.later();
      expect(scene.other.texts(THERE).join()).toContain('secret');
      scene.other.sick.clear();
      for (let minutes = 0; minutes < 15; minutes += 1) await scene.later();
      for (const texts of [scene.feed.texts(SPANISH), scene.other.texts(THERE)])
        expect(texts.join()).not.toContain('secret');
      expect(scene.other.texts(THERE)[0]).toBe('bob: ja(really) [🌐 英語]');
    },
  );
});

describe('the quote of a deleted message that has very many answers', () => {
  const scene = withScene(mirrorOf([ENGLISH, 'en'], [SPANISH, 'es'], [THERE, 'ja']));

  it('goes from all of them, and does not wait for a channel that is away', async () => {
    const { ref } = await answered(scene);
    await scene.store.write(async (db) => {
      const answers = db.selectFrom('mirror').selectAll().where('quoted', '<>', '');
      const known = await answers.where('target_channel_id', '=', THERE.id).executeTakeFirst();
      const newer = { ...known!, posted_ms: known!.posted_ms + 60_000 };
      for (let at = 0; at < 1_100; at += 1)
        await db
          .insertInto('mirror')
          .values({ ...newer, source_id: `answer ${at}`, ids: `["gone ${at}"]` })
          .execute();
    });
    const away = new AppError('unavailable', 'it is away', { retryable: true });
    scene.other.sick.set(THERE.id, async () => Promise.reject(away));
    scene.feed.remove(ref);
    await scene.listener.messagesDeleted([ref]);
    await scene.idle();
    expect(scene.feed.texts(SPANISH)).toEqual(['bob: es(really) [🌐 inglés]']);
    for (let minutes = 0; minutes < 30; minutes += 1) await scene.later();
    scene.other.sick.clear();
    await scene.later();
    expect(scene.other.texts(THERE)[0]).toBe('bob: ja(really) [🌐 英語]');
  });
});
