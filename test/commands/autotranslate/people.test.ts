import { describe, expect, it } from 'vitest';
import type { Explanation } from '../../../src/autotranslate/explain.ts';
import { rulesOf } from '../../../src/autotranslate/rules.ts';
import type { Message } from '../../../src/model/message.ts';
import { HERE, labelled, messageOf, SPACE } from '../../fakes/command-harness.ts';
import { sentence } from '../../fakes/sentences.ts';
import { useCommandHarness } from '../support.ts';

const harness = useCommandHarness();
const on = { ...messageOf('hello'), author: { id: '7', name: 'Eve', kind: 'person' } } as const;
const STOP = 'autotranslate stopperson:7|Eve';
const ALLOW = 'autotranslate allowperson:7|Eve';

const ofSpace = async () => (await harness().services.spaces.of(SPACE)).rules.people;
const ofChannel = () => harness().services.watches.of(HERE)?.choices?.rules?.people;
const rule = (options: object) =>
  harness().run('autotranslate rules', { about: 'people', ...options });
const watched = () => harness().run('autotranslate reply', { languages: 'es' });

const ask = async (message: Message, part: Explanation, member: object = {}) => {
  harness().script.messages = [message];
  const author = { platform: 'test', id: '7' };
  harness().script.explained = [{ ref: on.ref, author, parts: [part] }];
  return harness().run('why', {}, { member, on: message });
};
const why = async (member: object = {}) => {
  const { controls = [] } = await ask(on, { state: 'posted', sinceMs: 0 }, member);
  return controls.map(({ press, label }) => [press, label]);
};

describe('a person of the own server', () => {
  it('is stopped by moderators from the menu of their message, and allowed again', async () => {
    await watched();
    expect(await why()).toEqual([[STOP, sentence('rules.stop-person', { name: 'Eve' })]]);
    const stopped = await harness().pressNamed(STOP);
    expect(stopped.text).toContain(sentence('rules.person-stopped', { name: '<@7>' }));
    expect(await ofSpace()).toEqual({ of: ['7'] });
    expect(await why()).toEqual([[ALLOW, sentence('rules.allow-person', { name: 'Eve' })]]);
    const allowed = await harness().pressNamed(ALLOW);
    expect(allowed.text).toContain(sentence('rules.person-allowed', { name: '<@7>' }));
    expect(await ofSpace()).toEqual({ of: [] });
    expect(await why()).toEqual([[STOP, sentence('rules.stop-person', { name: 'Eve' })]]);
  });

  it('is offered to nobody else, not of oneself, and nowhere where nothing is translated', async () => {
    expect(await why()).toEqual([]);
    await watched();
    expect(await why({ id: '7' })).toEqual([]);
    expect(await why({ id: '7', role: 'member' })).toEqual([]);
  });

  it.each([
    ['one of our messages', 'ourselves', 'own', {}, false],
    ['a copy that nothing is known of any more', 'ourselves', 'copy', {}, false],
    ['a bot that is not translated', 'bot', 'cleared', {}, false],
    ['a bot that is translated', 'bot', 'cleared', { bots: true }, true],
  ] as const)('is a person, or a bot that is translated: %s', async (...given) => {
    const [, kind, reason, options, isOffered] = given;
    await harness().run('autotranslate reply', { languages: 'es', ...options });
    const told = { state: 'unknown', reason: { key: `why.unknown.${reason}` } } as const;
    const { controls = [] } = await ask({ ...on, author: { ...on.author, kind } }, told);
    expect(controls.map(({ press }) => press)).toEqual(isOffered ? [STOP] : []);
  });

  it('is left out beside those whom a channel leaves out by a rule of its own', async () => {
    await watched();
    await rule({ values: '<@1>' });
    const choices = await harness().services.spaces.of(SPACE);
    const all = { ...choices, rules: { people: { of: ['7'] } } };
    const own = (people: object) => ({ choices: { rules: { people } } }) as never;
    expect(rulesOf(own({ of: ['1'] }), all).people).toEqual({ of: ['7', '1'] });
    for (const alone of [{ of: [] }, { only: true, of: ['7'] }])
      expect(rulesOf(own(alone), all).people).toEqual(alone);
    await harness().pressNamed(STOP);
    expect(ofChannel()).toEqual({ of: ['1'] });
    const { text } = await harness().run('autotranslate rules', {});
    for (const values of ['<@1>', '<@7>'])
      expect(text).toContain(sentence('rules.skip.people', { values }));
  });

  it('is not stopped where a rule names those who alone are translated', async () => {
    await watched();
    await rule({ rule: 'only', values: '<@7>', everywhere: true });
    expect(await why()).toEqual([]);
    const { text } = await harness().pressNamed(STOP);
    expect(text).toContain(sentence('rules.only-people'));
    expect(await ofSpace()).toEqual({ only: true, of: ['7'] });
  });

  it('is chosen in the panel’s rules, with those who are stopped', async () => {
    await watched();
    await harness().pressNamed(STOP);
    await harness().pressNamed('autotranslate rules:100');
    const page = await harness().press('rules.panel-people');
    expect(page.text).toContain(sentence('rules.skip.people', { values: '<@7>' }));
    expect(labelled(page, 'rules.panel-people')).toMatchObject({ kind: 'people', chosen: ['7'] });
    await harness().press('rules.panel-people', ['7', '8']);
    expect(await ofSpace()).toEqual({ of: ['7', '8'] });
    await harness().press('rules.panel-people', []);
    expect(await ofSpace()).toEqual({ of: [] });
  });
});

describe('a typed name in a rule for people', () => {
  it('is answered with what to write, and with the people of that name', async () => {
    await watched();
    harness().script.named = { Eve: [{ id: '81', name: 'Eve' }], 82: [{ id: '82', name: 'Evi' }] };
    const found = await rule({ values: '<@1>, Eve' });
    expect(found.tone).toBe('error');
    expect(found.text).toContain(
      sentence('rules.people-found', { name: '`Eve`', people: '<@81> (`81`)' }),
    );
    const none = await rule({ values: 'Mallory' });
    expect(none.text).toContain(sentence('rules.people-how', { name: '`Mallory`' }));
    expect(ofChannel()).toBeUndefined();
  });

  it('is not needed: an id does', async () => {
    await watched();
    harness().script.named = { 82: [{ id: '82', name: 'Evi' }] };
    await rule({ values: '<@1> and <@2>, 82' });
    expect(ofChannel()).toEqual({ of: ['1', '2', '82'] });
  });
});
