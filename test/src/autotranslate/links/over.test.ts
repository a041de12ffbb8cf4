import { describe, expect, it, vi } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import { DAY_MS, HOUR_MS } from '../../../../src/async/clock.ts';
import { createLinkRequestStore } from '../../../../src/store/channels/link-requests.ts';
import { lost, SPACE } from '../../../fakes/channel-feed.ts';
import { kindsOfColumnsWith } from '../../../fakes/every-table.ts';
import { sentence } from '../../../fakes/sentences.ts';
import { ENGLISH, WORKSPACE } from '../support.ts';
import { admit, isOver, withRequests } from './request-support.ts';

describe('the question of a link that can be agreed to no more', () => {
  const { scene, ask } = withRequests();
  const said = (became: 'expired' | 'withdrawn' | 'gone' | 'over' | 'refused') =>
    sentence(`autotranslate.link-${became}`);
  const rows = async (): Promise<number> =>
    (await scene.store.selectFrom('link_request').selectAll().execute()).length;
  /** Lets so much time pass that what is over is looked for. */
  const look = async (): Promise<void> => {
    scene.clock.aheadMs += 10 * 60_000;
    await vi.advanceTimersByTimeAsync(10 * 60_000);
  };
  const expire = (): void => {
    scene.clock.aheadMs += DAY_MS + 1;
  };
  const expectSaid = async (became: Parameters<typeof said>[0]): Promise<void> => {
    await expect.poll(() => scene.feed.texts(ENGLISH)).toEqual([said(became)]);
    expect(scene.feed.asked(ENGLISH)).toEqual([]);
    await expect.poll(rows).toBe(0);
  };
  const edits = (): number => scene.feed.calls.filter((call) => call === 'edit').length;

  it.each([true, false])(
    'says so where nobody answered (running meanwhile: %s)',
    async (isRunning) => {
      const id = await ask();
      await look();
      expect(scene.feed.asked(ENGLISH)).toHaveLength(2);
      expire();
      if (!isRunning) await scene.restart();
      await look();
      await expectSaid('expired');
      await look();
      expect(edits()).toBe(1);
      await expect(scene.watches.answer(id, SPACE, true, admit)).rejects.toMatchObject(isOver);
    },
  );

  it('says so later where that fails, also after a restart, and stores nothing of the other side for that', async () => {
    scene.other.nameSpace(WORKSPACE, 'tower.example');
    const id = await ask();
    scene.feed.fail({ call: 'edit', error: lost() }, { call: 'edit', error: lost() });
    await scene.watches.withdraw(id, WORKSPACE, admit);
    expect(scene.feed.asked(ENGLISH)).toHaveLength(2);
    expect(await scene.watches.openLinks(ENGLISH)).toEqual([]);
    await expect(scene.watches.answer(id, SPACE, true, admit)).rejects.toMatchObject(isOver);
    for (const theirs of ['bob', 'Bob', WORKSPACE.id]) {
      const columns = Object.keys(await kindsOfColumnsWith(scene.store, theirs));
      expect(columns.filter((each) => each.startsWith('link_request.'))).toEqual([]);
    }
    await look();
    expect(scene.feed.asked(ENGLISH)).toHaveLength(2);
    await scene.restart();
    await look();
    await expectSaid('withdrawn');
  });

  it('says so where the process ended before it did', async () => {
    const id = await ask();
    const never = vi.spyOn(scene.feed.platform, 'edit').mockReturnValue(new Promise(() => {}));
    void scene.watches.answer(id, SPACE, false, admit);
    await expect.poll(() => never.mock.calls.length).toBe(1);
    never.mockRestore();
    await scene.restart();
    await look();
    await expectSaid('refused');
  });

  it('keeps nobody who answers from their answer while its channel hangs', async () => {
    const id = await ask();
    const hung = Promise.withResolvers<void>();
    const edit = scene.feed.platform.edit.bind(scene.feed.platform);
    const hanging = vi
      .spyOn(scene.feed.platform, 'edit')
      .mockImplementationOnce(async (...given) => {
        await hung.promise;
        return edit(...given);
      });
    const answered = scene.watches.answer(id, SPACE, false, admit);
    await expect.poll(() => hanging.mock.calls.length).toBe(1);
    await vi.advanceTimersByTimeAsync(2_000);
    await expect(answered).resolves.toBeUndefined();
    hung.resolve();
    await expectSaid('refused');
  });

  it('says so where the space that asked has left meanwhile', async () => {
    await ask();
    scene.feed.fail({ call: 'edit', error: lost() });
    await scene.leave(WORKSPACE);
    await expect.poll(() => edits()).toBe(1);
    await look();
    await expectSaid('gone');
  });

  it.each([
    ['is gone', new AppError('not-found', 'there is no such message')],
    ['may not be changed', new AppError('forbidden', 'no access')],
  ])('costs nothing more where it %s', async (_, error) => {
    const id = await ask();
    scene.feed.fail({ call: 'edit', error });
    await scene.watches.withdraw(id, WORKSPACE, admit);
    expect(await rows()).toBe(0);
    await look();
    expect(edits()).toBe(1);
  });

  it('is tried for a day', async () => {
    const id = await ask();
    const failing = vi.spyOn(scene.feed.platform, 'edit').mockRejectedValue(lost());
    await scene.watches.withdraw(id, WORKSPACE, admit);
    const requests = createLinkRequestStore(scene.store, () => Date.now() + scene.clock.aheadMs);
    for (let hour = 0; hour < 23; hour += 1) {
      scene.clock.aheadMs += HOUR_MS;
      await requests.clear();
    }
    await look();
    expect(failing.mock.calls).toHaveLength(2);
    scene.clock.aheadMs += HOUR_MS;
    await requests.clear();
    await look();
    expect(failing.mock.calls).toHaveLength(2);
    failing.mockRestore();
  });

  it('says so where another process answered while it was put', async () => {
    const post = scene.feed.platform.post.bind(scene.feed.platform);
    vi.spyOn(scene.feed.platform, 'post').mockImplementationOnce(async (...given) => {
      await scene.store.write((db) => db.deleteFrom('link_request').execute());
      return post(...given);
    });
    await ask();
    await expectSaid('over');
  });
});
