import { describe, expect, it } from 'vitest';
import { type Command, commandFault } from '../../src/command/command.ts';
import { discover } from '../../src/app/modules.ts';
import { watchOf } from '../fakes/autotranslate.ts';
import { HERE, SPACE } from '../fakes/command-harness.ts';
import { NO_BACKLOG } from '../fakes/command-script.ts';
import { sentence } from '../fakes/sentences.ts';
import { BOB, useCommandHarness } from './support.ts';

const harness = useCommandHarness();

/** Every press of a command, by who may use it. Those of `/queue` are for all who are in the room. */
const PRESSES = {
  moderators: {
    autotranslate:
      'ask link refuse member admit letin keepout mute unmute hold unhold expelsure expel expelall open front page languages language find mode preview rules ruletypes ruleshortest ruleformality rulelanguages rulespoken findspoken rulewords rulebeginnings rulereading findreading rulereads stopperson allowperson stoppeople rulepeople ruleend pause resume sure off linkstart findfrom linkfrom linkto findas linkas stop stopped unstop wizard setup sources into spoken form findinto make undo roles restore links findcode codeas agree decline withdraw invite enter end join linksure former',
    why: 'stop show',
    audit: 'page export',
    rooms: 'page joins consent spoken languages partials all pause barge wake',
    settings:
      'key dropkey moderators anyway groups page flags mentions terms reactions reading findreading servers outside approved approve private linkable voice bots quiet characters minutes tokens command roles',
    status: 'again retry',
    glossary: 'import cancel next accept refuse take drop',
  },
  everybody: {
    autotranslate: 'role',
    catchup: 'page summary file ask onward language keep recent',
    glossary: 'better',
    language: 'pick choose find',
    translate: 'whole',
    captions: 'out in open begin',
    help: 'all',
    privacy: 'show details out in mentions export forget sure',
    queue: 'pause resume skip stop',
  },
};

const listed = (who: keyof typeof PRESSES): readonly string[] =>
  Object.entries(PRESSES[who]).flatMap(([command, words]) =>
    words.split(' ').map((word) => `${command} ${word}`),
  );

/** All that presses change for a whole space. */
const stateOf = async () => {
  const { services, script } = harness();
  return {
    choices: await services.spaces.of(SPACE),
    watches: services.watches.list(SPACE),
    key: await services.spaceKeys.state(SPACE),
    dead: script.backlog.dead,
    blocked: await services.blocks.list(SPACE),
  };
};

describe('a press', () => {
  it('stands in the table', async () => {
    const commands = await discover<Command>('commands', commandFault);
    const there = commands.flatMap(({ name, presses = {} }) =>
      Object.keys(presses).map((word) => `${name} ${word}`),
    );
    const all = [...listed('moderators'), ...listed('everybody')];
    expect(all.toSorted()).toEqual(there.toSorted());
  });

  it.each(listed('moderators'))('of moderators changes nothing for a member: %s', async (press) => {
    const { services, script } = harness();
    const { signal } = new AbortController();
    const ada = {
      platform: 'test',
      id: 'ada',
      name: 'Ada',
      locale: 'en',
      role: 'moderator',
    } as const;
    await services.watches.set([watchOf(HERE)]);
    await services.spaceKeys.set(SPACE, 'svck:key-of-this-space-0123456789', ada, signal);
    script.backlog = { ...NO_BACKLOG, dead: 1 };
    const before = await stateOf();
    const refused = await harness().pressNamed(press, { member: BOB });
    expect(refused.text).toContain(sentence('errors.needs-moderator', { platform: 'test' }));
    expect(await stateOf()).toEqual(before);
    const { text } = await harness().pressNamed(press);
    expect(text).not.toContain(sentence('errors.needs-moderator', { platform: 'test' }));
    expect(text).not.toContain(sentence('errors.unknown-press'));
  });

  it.each([...listed('moderators'), ...listed('everybody')])(
    'that no message shows changes nothing: %s',
    async (press) => {
      await harness().services.watches.set([watchOf(HERE)]);
      const before = await stateOf();
      const refused = await harness().forge(press);
      expect(refused.text).toBe(sentence('errors.unknown-press'));
      expect(await stateOf()).toEqual(before);
    },
  );

  it.each(listed('everybody'))('of everybody asks for no rights: %s', async (press) => {
    const { text } = await harness().pressNamed(press, { member: BOB });
    expect(text).not.toContain(sentence('errors.needs-moderator', { platform: 'test' }));
    expect(text).not.toContain(sentence('errors.unknown-press'));
  });
});
