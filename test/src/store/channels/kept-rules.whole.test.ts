import { describe, expect, it, onTestFinished } from 'vitest';
import type { WatchRules } from '../../../../src/model/rules.ts';
import { openStore } from '../../../../src/store/index.ts';
import { openWatchStore } from '../../../../src/store/channels/watches.ts';
import { clearOld } from '../../../../src/store/privacy/clear-old.ts';
import { createPrivacy } from '../../../../src/store/privacy/person-data.ts';
import { openSpaceData } from '../../../../src/store/privacy/space-data.ts';
import { mirrorOf, watchOf } from '../../../fakes/autotranslate.ts';
import { NO_HORIZONS } from '../../../fakes/horizons.ts';
import { ENGINES } from '../tool/support.ts';

const SPACE = { platform: 'test', id: 's' };
const HERE = { space: SPACE, id: 'here' };
const THERE = { space: SPACE, id: 'there' };
const RULES: WatchRules = { people: { of: ['bob', 'cy'] }, words: { of: [] } };
const CHOICES = { rules: RULES };

const open = async (url: string) => {
  const store = await openStore(url);
  onTestFinished(() => store.destroy());
  const watches = await openWatchStore(store, () => 1);
  const rules = () => watches.of(HERE)?.choices?.rules;
  return { store, watches, rules };
};

describe.each(ENGINES)('the rules of a channel that was turned off, on $engine', ({ make }) => {
  it.each([
    ['by another command', () => [watchOf(HERE, { mode: 'compact', languages: ['ja'] })]],
    ['as a linked one', () => mirrorOf([HERE, 'en'], [THERE, 'es'])],
  ])('apply again where it is turned on %s', async (_, anew) => {
    const { watches, rules } = await open(await make());
    await watches.set([watchOf(HERE, { choices: CHOICES })]);
    await watches.remove([HERE]);
    expect(rules()).toBeUndefined();
    await watches.set(anew());
    expect(rules()).toEqual(RULES);
    await watches.update(HERE, (all) => all.map((each) => ({ ...each, choices: { rules: {} } })));
    await watches.remove([HERE]);
    await watches.set(anew());
    expect(rules() ?? {}).toEqual({});
  });

  it('apply again where it joins a group, or the last other one had left its group', async () => {
    const { watches, rules } = await open(await make());
    const [own, other] = mirrorOf([HERE, 'en'], [THERE, 'es']);
    await watches.set([{ ...own!, choices: CHOICES }, other!]);
    await watches.remove([THERE]);
    expect(watches.of(HERE)).toBeUndefined();
    await watches.update(HERE, () => [own!, other!]);
    expect(rules()).toEqual(RULES);
  });

  it('go without a person who had their data deleted', async () => {
    const { store, watches, rules } = await open(await make());
    await watches.set([watchOf(HERE, { choices: CHOICES })]);
    await watches.remove([HERE]);
    await createPrivacy(store).forget({ platform: 'test', id: 'bob' });
    await watches.set([watchOf(HERE)]);
    expect(rules()).toEqual({ ...RULES, people: { of: ['cy'] } });
  });

  it('go with the changes that moderators can look up, and with the space', async () => {
    const { store, watches, rules } = await open(await make());
    const data = await openSpaceData(store);
    for (const forget of [
      () => clearOld(store, { ...NO_HORIZONS, auditMs: Number.MAX_SAFE_INTEGER }),
      async () => {
        await data.leave(SPACE);
        await data.remove(SPACE);
        await data.join(SPACE);
      },
    ]) {
      await watches.set([watchOf(HERE, { choices: CHOICES })]);
      await watches.remove([HERE]);
      await forget();
      await watches.set([watchOf(HERE)]);
      expect(rules()).toBeUndefined();
      await watches.remove([HERE]);
    }
  });
});
