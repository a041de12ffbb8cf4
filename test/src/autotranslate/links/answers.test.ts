import { plainText } from '../../../../src/rich-text/walk.ts';
import { describe, expect, it, vi } from 'vitest';
import { setupMark } from '../../../../src/autotranslate/replaced.ts';
import { mirrorOf, watchOf } from '../../../fakes/autotranslate.ts';
import { channel, lost, SPACE } from '../../../fakes/channel-feed.ts';
import { sentence } from '../../../fakes/sentences.ts';
import { ENGLISH, WORKSPACE } from '../support.ts';
import { mirror, THERE } from './support.ts';
import { admit, conditions, inviteTo, isOver, propose, withRequests } from './request-support.ts';

const DAY_MS = 86_400_000;

describe('a link', () => {
  const { scene, linked, ask } = withRequests();

  it('shows nothing of either side before both have agreed', async () => {
    const { id } = await propose(scene.watches);
    await scene.say(ENGLISH, 'before anybody agreed');
    await scene.watches.ask(id, WORKSPACE, admit);
    const said = [
      await scene.say(ENGLISH, 'before this side agreed'),
      await scene.say(THERE, 'es:antes'),
    ];
    await scene.idle();
    // The ids of these messages are their times, which a link is compared with.
    while (said.some(({ ref }) => Date.now() <= Number(ref.id))) await new Promise(setImmediate);
    expect(scene.other.texts(THERE)).toEqual(['es:antes']);
    expect(linked()).toBe(0);
    await scene.watches.answer(id, SPACE, true, admit);
    await scene.say(ENGLISH, 'afterwards');
    await scene.idle();
    expect(scene.other.texts(THERE).at(-1)).toContain('es(afterwards)');
    expect(scene.other.texts(THERE).join()).not.toContain('before');
  });

  it.each([true, false])('is answered once by two at once (%s first)', async (first) => {
    const id = await ask();
    const answers = [first, !first].map((yes) => scene.watches.answer(id, SPACE, yes, admit));
    const [one, two] = await Promise.allSettled(answers);
    expect(new Set([one?.status, two?.status])).toEqual(new Set(['fulfilled', 'rejected']));
    const agreed = (one?.status === 'fulfilled') === first;
    expect(linked()).toBe(agreed ? 2 : 0);
    const late = [one, two].find((each) => each?.status === 'rejected');
    expect(late).toMatchObject({ reason: isOver });
    await expect(scene.watches.answer(id, SPACE, !agreed, admit)).rejects.toMatchObject(isOver);
  });

  it('is answered by nobody but the side that made the code', async () => {
    const { id } = await propose(scene.watches);
    const early = scene.watches.answer(id, SPACE, true, admit);
    await expect(early).rejects.toMatchObject(isOver);
    await expect(scene.watches.ask(id, SPACE, admit)).rejects.toMatchObject(isOver);
    await scene.watches.ask(id, WORKSPACE, admit);
    for (const space of [WORKSPACE, { ...SPACE, id: 'elsewhere' }])
      await expect(scene.watches.answer(id, space, true, admit)).rejects.toMatchObject(isOver);
    const unknown = scene.watches.answer('forged', SPACE, true, admit);
    await expect(unknown).rejects.toMatchObject(isOver);
    expect(linked()).toBe(0);
  });

  it('can be answered for a day', async () => {
    const id = await ask();
    scene.clock.aheadMs += DAY_MS + 1;
    await expect(scene.watches.answer(id, SPACE, true, admit)).rejects.toMatchObject(isOver);
  });

  it('that is refused is over, and the other side is told', async () => {
    const id = await ask();
    await scene.watches.answer(id, SPACE, false, admit);
    await expect(scene.watches.answer(id, SPACE, true, admit)).rejects.toMatchObject(isOver);
    // In the language of the channel as it is, and not in the one that was proposed for it.
    await expect
      .poll(() => scene.other.texts(THERE))
      .toEqual([sentence('autotranslate.link-refused-here', { channels: 'Place' })]);
    expect(linked()).toBe(0);
  });

  it.each([
    [true, 'autotranslate.link-done'],
    [false, 'autotranslate.link-refused'],
  ] as const)(
    'is asked for in the moderators’ channel alone; an answer of %s is said there, in its language',
    async (isAgreed, key) => {
      const mods = channel('mods');
      await scene.spaces.change(SPACE, { moderators: { channel: mods.id, locale: 'de' } });
      const id = await ask();
      expect(scene.feed.texts(ENGLISH)).toEqual([]);
      expect(scene.feed.asked(mods)).toHaveLength(2);
      await scene.restart();
      const said = await scene.watches.answer(id, SPACE, isAgreed, admit, mods);
      expect(plainText(said?.text ?? [])).toBe(`#? ${sentence(key, {}, 'de')}`);
      expect(scene.feed.asked(mods)).toEqual([]);
      const notices = isAgreed ? 1 : 0;
      await expect.poll(() => scene.feed.texts(ENGLISH)).toHaveLength(notices);
    },
  );

  it('is refused to a person who may not see the channels here', async () => {
    const id = await ask();
    const refuse = async (): Promise<void> => {
      throw new Error('not here');
    };
    for (const yes of [true, false])
      await expect(scene.watches.answer(id, SPACE, yes, refuse)).rejects.toThrow('not here');
    await scene.watches.answer(id, SPACE, true, admit);
    expect(linked()).toBe(2);
  });

  it.each(['leaves', 'joins'] as const)(
    'is made with no other group than both sides know, whoever %s it in the end',
    async (what) => {
      const [japanese, french] = mirrorOf([channel('japanese'), 'ja'], [channel('french'), 'fr']);
      await scene.watches.set([...mirrorOf([ENGLISH, 'en']), japanese!]);
      const id = await ask();
      const name = Promise.withResolvers<string>();
      let isAsked = false;
      Object.assign(scene.other.feed, {
        spaceName: async () => {
          isAsked = true;
          return name.promise;
        },
      });
      const answered = scene.watches.answer(id, SPACE, true, admit);
      await expect.poll(() => isAsked).toBe(true);
      Object.assign(scene.other.feed, { spaceName: async () => 'tower.example' });
      if (what === 'leaves') await scene.watches.remove(japanese!.channel);
      else await scene.watches.set([french!]);
      name.resolve('tower.example');
      await expect(answered).rejects.toMatchObject(isOver);
      expect(scene.watches.list(WORKSPACE)).toEqual([]);
    },
  );

  it.each([
    ['set', 'autotranslate.link-replaces'],
    ['off', 'autotranslate.not-on'],
  ] as const)(
    'is asked for anew where its channel is set up otherwise, even while it is made (%s)',
    async (how, key) => {
      const mods = channel('mods');
      await scene.spaces.change(SPACE, { moderators: { channel: mods.id, locale: 'de' } });
      await scene.watches.set([watchOf(ENGLISH, { languages: ['fr'] })]);
      const id = await ask();
      const marked = (press = scene.feed.asked(mods)[0]) => press?.split('/')[1];
      const seen = marked();
      const name = Promise.withResolvers<string>();
      let isAsked = false;
      Object.assign(scene.other.feed, {
        spaceName: async () => {
          isAsked = true;
          return name.promise;
        },
      });
      const answered = scene.watches.answer(id, SPACE, true, admit, mods, seen);
      await expect.poll(() => isAsked).toBe(true);
      if (how === 'off') await scene.watches.remove(ENGLISH);
      else await scene.watches.set([watchOf(ENGLISH, { languages: ['de'] })]);
      name.resolve('tower.example');
      const said = await answered;
      expect(scene.watches.list(WORKSPACE)).toEqual([]);
      const params = (language: string) => {
        const before = `${sentence('autotranslate.modes.reply', {}, language)} · `;
        return { channel: '#?', before };
      };
      expect(plainText(said?.text ?? [])).toContain(sentence(key, params('de'), 'de'));
      expect(plainText(said?.text ?? [])).toContain(
        sentence('autotranslate.panel-changed', { channel: '#?' }, 'de'),
      );
      expect(scene.feed.texts(ENGLISH)).toEqual([]);
      const anew = marked(said?.controls?.[0]?.press);
      expect(anew).not.toBe(seen);
      await scene.watches.answer(id, SPACE, true, admit, mods, anew);
      expect(linked()).toBe(2);
    },
  );

  it.each(['before', 'while'] as const)(
    'is not made where the channel that asked was set up otherwise %s the other side agreed, and both are told',
    async (when) => {
      const id = await ask();
      const setOtherwise = () => scene.watches.set([watchOf(THERE, { languages: ['de'] })]);
      if (when === 'before') await setOtherwise();
      const admitted = when === 'while' ? setOtherwise : admit;
      await expect(scene.watches.answer(id, SPACE, true, admitted)).rejects.toMatchObject({
        sentence: { key: 'autotranslate.link-changed' },
      });
      expect(scene.watches.of(THERE)).toMatchObject({ mode: 'reply', languages: ['de'] });
      expect(scene.watches.list(SPACE)).toEqual([]);
      expect(scene.feed.texts(ENGLISH)).toEqual([sentence('autotranslate.link-changed')]);
      expect(scene.feed.asked(ENGLISH)).toEqual([]);
      await expect
        .poll(() => scene.other.texts(THERE))
        .toContain(sentence('autotranslate.link-changed', {}, 'de'));
      await expect(scene.watches.answer(id, SPACE, true, admit)).rejects.toMatchObject(isOver);
    },
  );

  it('of channels of one space is made with no setup that was not shown, not even while it is made', async () => {
    const own = channel('own');
    const code = await inviteTo(scene.watches);
    const { id } = await scene.watches.propose(code, mirror(own, 'es'), conditions);
    const setOtherwise = () => scene.watches.set([watchOf(own, { languages: ['de'] })]);
    const press = (admitted: typeof admit) =>
      scene.watches.ask(id, SPACE, admitted, setupMark(undefined));
    for (const admitted of [setOtherwise, admit])
      await expect(press(admitted)).rejects.toMatchObject({
        sentence: { key: 'autotranslate.panel-changed' },
      });
    expect(scene.watches.list(SPACE)).toMatchObject([{ mode: 'reply', languages: ['de'] }]);
    const seen = setupMark(scene.watches.of(own));
    expect(await scene.watches.ask(id, SPACE, admit, seen)).toBe('linked');
  });

  it('can be asked for anew with the setup that is shown then, where it was not asked', async () => {
    const { id } = await propose(scene.watches);
    scene.feed.fail({ call: 'post', error: lost() });
    const press = (seen: string) => scene.watches.ask(id, WORKSPACE, admit, seen);
    expect(await press(setupMark(undefined))).toBe('unasked');
    await scene.watches.set([watchOf(THERE, { languages: ['de'] })]);
    await expect(press(setupMark(undefined))).rejects.toMatchObject({
      sentence: { key: 'autotranslate.panel-changed' },
    });
    expect(await press(setupMark(scene.watches.of(THERE)))).toBe('asked');
    await scene.watches.answer(id, SPACE, true, admit);
    expect(linked()).toBe(2);
  });

  it('is asked for anew by no process after another one answered it', async () => {
    await scene.watches.set([watchOf(ENGLISH, { languages: ['fr'] })]);
    const id = await ask();
    const [press = ''] = scene.feed.asked(ENGLISH);
    const question = scene.feed.texts(ENGLISH);
    const meanwhile = async (): Promise<void> => {
      await scene.store.write((db) => db.deleteFrom('link_request').execute());
      await scene.watches.set([watchOf(ENGLISH, { languages: ['de'] })]);
    };
    const late = scene.watches.answer(id, SPACE, true, meanwhile, ENGLISH, press.split('/')[1]);
    await expect(late).rejects.toMatchObject(isOver);
    expect(scene.feed.texts(ENGLISH)).toEqual(question);
  });

  it('of a channel that is linked already is made with what its question shows', async () => {
    await scene.watches.set(mirrorOf([ENGLISH, 'en'], [channel('japanese'), 'ja']));
    const id = await ask();
    const [press = ''] = scene.feed.asked(ENGLISH);
    const [, seen] = press.split('/');
    const said = await scene.watches.answer(id, SPACE, true, admit, ENGLISH, seen);
    expect(said?.controls).toBeUndefined();
    expect(linked()).toBe(3);
  });

  it.each([true, false])(
    'ends with another one between the same channels that is agreed to (pressed meanwhile: %s)',
    async (isPressed) => {
      const { code } = await scene.watches.invite(mirror(THERE, 'es'), false, conditions.by);
      const crossed = await scene.watches.propose(code, mirror(ENGLISH, 'en'), conditions);
      await scene.watches.ask(crossed.id, SPACE, admit);
      const id = await ask();
      await scene.watches.answer(id, SPACE, true, admit);
      if (isPressed)
        await expect(
          scene.watches.answer(crossed.id, WORKSPACE, false, admit),
        ).rejects.toMatchObject({
          sentence: { key: expect.stringMatching(/link-(linked|over)/) as string },
        });
      await expect
        .poll(() => scene.other.texts(THERE))
        .toContain(sentence('autotranslate.link-linked', {}, 'es'));
      expect(scene.other.asked(THERE)).toEqual([]);
      expect(await scene.watches.openLinks(THERE)).toEqual([]);
    },
  );

  it.each([ENGLISH, THERE])('ends with the channel that is deleted (%o)', async (gone) => {
    await scene.spaces.change(SPACE, { moderators: { channel: 'mods', locale: 'en' } });
    const id = await ask();
    await scene.listener.channelDeleted(gone);
    await expect
      .poll(() => scene.feed.texts(channel('mods')))
      .toEqual([`#? ${sentence('autotranslate.link-gone')}`]);
    expect(scene.feed.asked(channel('mods'))).toEqual([]);
    await expect(scene.watches.answer(id, SPACE, true, admit)).rejects.toMatchObject(isOver);
  });

  it('names the channel of the other side that cannot be reached, without a command, and stays open', async () => {
    scene.other.nameSpace(WORKSPACE, 'tower.example');
    const id = await ask();
    scene.other.lack('a scope of theirs');
    await expect(scene.watches.answer(id, SPACE, true, admit)).rejects.toMatchObject({
      sentence: {
        key: 'autotranslate.link-unreached',
        params: { channel: '#channel-42 · tower.example (Other)' },
      },
    });
    scene.other.lack();
    await scene.watches.answer(id, SPACE, true, admit);
    expect(linked()).toBe(2);
  });

  it('says plainly what is lacking in the own channel', async () => {
    const id = await ask();
    scene.feed.lack('a permission here');
    const answer = scene.watches.answer(id, SPACE, true, admit);
    await expect(answer).rejects.toMatchObject({ sentence: { key: 'watch.missing' } });
  });

  it.each(['group', 'alone'] as const)(
    'is not agreed to where the bot is no longer in the channel of the code, and stays open (%s)',
    async (how) => {
      if (how === 'group')
        await scene.watches.set(mirrorOf([ENGLISH, 'en'], [channel('japanese'), 'ja']));
      await scene.watches.set([watchOf(THERE, { languages: ['de'] })]);
      const id = await ask();
      scene.feed.lose(ENGLISH);
      Object.assign(scene.feed.feed, { isGone: async () => true });
      const answer = scene.watches.answer(id, SPACE, true, admit, ENGLISH);
      await expect(answer).rejects.toMatchObject({ sentence: { key: 'watch.not-there' } });
      expect(scene.watches.of(THERE)).toMatchObject({ mode: 'reply', languages: ['de'] });
      scene.feed.lose();
      Object.assign(scene.feed.feed, { isGone: async () => false });
      expect(await scene.watches.openLinks(ENGLISH)).toMatchObject([{ id }]);
      await scene.watches.answer(id, SPACE, true, admit, ENGLISH);
      expect(scene.watches.of(THERE)).toMatchObject({ mode: 'mirror' });
    },
  );

  it.each([
    ['hangs', (): Promise<never> => new Promise(() => undefined)],
    ['fails', () => Promise.reject(lost())],
  ] as const)(
    'changes nothing where the check of a channel %s, and says so',
    async (_, missing) => {
      const id = await ask();
      for (const { feed } of [scene.feed, scene.other]) {
        const works = feed.missing.bind(feed);
        Object.assign(feed, { missing });
        const answer = scene.watches.answer(id, SPACE, true, admit);
        const refused = expect(answer).rejects.toMatchObject({
          sentence: { key: 'watch.unchecked' },
        });
        for (let seconds = 0; seconds < 11; seconds += 1) await vi.advanceTimersByTimeAsync(1_000);
        await refused;
        expect(linked()).toBe(0);
        Object.assign(feed, { missing: works });
      }
      await scene.watches.answer(id, SPACE, true, admit);
      expect(linked()).toBe(2);
    },
  );

  it('ends with the space that leaves before it is answered', async () => {
    const id = await ask();
    await scene.leave(WORKSPACE);
    await expect(scene.watches.answer(id, SPACE, true, admit)).rejects.toMatchObject(isOver);
  });
});
