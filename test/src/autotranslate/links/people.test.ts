import { describe, expect, it } from 'vitest';
import { createPeopleElsewhere } from '../../../../src/autotranslate/links/people.ts';
import { mirrorOf } from '../../../fakes/autotranslate.ts';
import { channel } from '../../../fakes/channel-feed.ts';
import { ENGLISH, SPANISH, withScene, WORKSPACE } from '../support.ts';

const THERE = channel('42', undefined, WORKSPACE);

describe('a person of a linked space', () => {
  const group = mirrorOf([ENGLISH, 'en'], [SPANISH, 'es'], [THERE, 'fr']);
  const scene = withScene(group);
  const lookUp = async (id: string) => {
    const platforms = { find: () => scene.other };
    const watches = { list: () => group.slice(0, 2), group: () => group };
    return createPeopleElsewhere({ watches, platforms })(ENGLISH.space, id);
  };

  it('is found by ID, once, and named with that space', async () => {
    scene.other.nameSpace(WORKSPACE, 'tower.example');
    const name = 'member-7 · tower.example (Other)';
    expect(await lookUp('7')).toEqual({
      people: [{ platform: 'other', id: '7', name }],
      silent: [],
    });
  });

  it('is not found by a name, or by an ID that nobody has', async () => {
    expect(await lookUp('Mallory')).toEqual({ people: [], silent: [] });
  });
});

describe('a person of many linked spaces', () => {
  const COUNT = 30;
  const channels = Array.from({ length: COUNT }, (_, at) =>
    channel(`c${at}`, undefined, { platform: 'other', id: `space-${at}` }),
  );
  const group = mirrorOf([ENGLISH, 'en'], ...channels.map((one) => [one, 'es'] as const));

  /** Looks somebody up while some of the spaces answer as `answer` has it, and time passes when `pass` is called. */
  const lookUp = (answer: (id: string) => Promise<string | undefined>) => {
    const waits = new Set<() => void>();
    const asking = { now: 0, most: 0, all: 0 };
    const personName = async ({ id }: { id: string }): Promise<string | undefined> => {
      asking.all += 1;
      asking.now += 1;
      asking.most = Math.max(asking.most, asking.now);
      return answer(id).finally(() => {
        asking.now -= 1;
      });
    };
    const feed = { personName, spaceName: async ({ id }: { id: string }) => id };
    const found = createPeopleElsewhere({
      watches: { list: () => group.slice(0, 1), group: () => group },
      platforms: { find: () => ({ feed }) as never },
      after: (_, run) => {
        waits.add(run);
        return () => waits.delete(run);
      },
    })(ENGLISH.space, '7');
    const pass = (): void => {
      for (const run of waits) run();
    };
    return { found, asking, pass };
  };

  it('is asked for in a few spaces at once', async () => {
    const { found, asking } = lookUp(async () => undefined);
    expect(await found).toEqual({ people: [], silent: [] });
    expect(asking).toEqual({ now: 0, most: 8, all: COUNT });
  });

  it('is found though some do not answer, and others cannot', async () => {
    const { found, asking, pass } = lookUp((id) => {
      if (id === 'space-2') return Promise.reject(new Error('down'));
      return id === 'space-1' ? new Promise(() => {}) : Promise.resolve('Eve');
    });
    await expect.poll(() => asking.all).toBe(COUNT);
    await expect.poll(() => asking.now).toBe(1);
    pass();
    expect(await found).toEqual({
      people: [{ platform: 'other', id: '7', name: expect.stringContaining('Eve') }],
      silent: ['space-1 (Other)', 'space-2 (Other)'],
    });
  });

  it('is waited for some seconds, whoever does not answer, of whom some are named', async () => {
    const { found, asking, pass } = lookUp(() => new Promise(() => {}));
    await expect.poll(() => asking.now).toBe(8);
    pass();
    const { people, silent } = await found;
    expect(people).toEqual([]);
    expect(silent).toHaveLength(6);
    expect(silent.at(-1)).toBe(`+${COUNT - 5}`);
  });
});
