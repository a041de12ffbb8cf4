import ask from '../../../commands/ask.ts';
import { describe, expect, it } from 'vitest';
import { createProbes, CHANNEL, ELSEWHERE, MEMBER, SPOKEN } from '../../fakes/probes.ts';
import { sentence } from '../../fakes/sentences.ts';
import { actionsOf, describeAction } from '../../../src/command/catalogue.ts';
import { realTexts as texts } from '../../fakes/texts.ts';
import { fresh } from '../../fakes/opened.ts';

describe('the commands', () => {
  const probes = fresh(() => createProbes());

  it('describes its commands for the adapters', () => {
    const info = probes.dispatcher.commands('en', 'test').find(({ name }) => name === 'probe');
    expect(info?.options.map(({ name, kind, required }) => [name, kind, required])).toEqual([
      ['text', 'text', true],
      ['count', 'integer', false],
      ['loud', 'boolean', false],
      ['kind', 'text', false],
      ['file', 'attachment', false],
    ]);
    expect(info?.options[1]).toMatchObject({ minimum: 1, maximum: 5 });
    expect(info?.options[3]?.choices?.map(({ value }) => value)).toEqual(['one', 'two']);
  });

  it('offers at most 25 choices, and none when the lookup breaks', async () => {
    const request = { command: 'probe', typed: 'a', member: MEMBER, space: CHANNEL.space };
    expect(await probes.dispatcher.complete({ ...request, option: 'text' })).toHaveLength(25);
    expect(await probes.dispatcher.complete({ ...request, option: 'kind' })).toEqual([]);
    expect(await probes.dispatcher.complete({ ...request, option: 'unknown' })).toEqual([]);
    expect(
      await probes.dispatcher.complete({ ...request, command: 'nothing', option: 'x' }),
    ).toEqual([]);
  });

  it('offers nothing when the lookup takes too long, and lets it go on', async () => {
    const asked = Promise.withResolvers<{ value: string; label: string }[]>();
    let ended = false;
    probes.script.lookUp = async () => {
      const found = await asked.promise;
      ended = true;
      return found;
    };
    const request = { command: 'probe', option: 'loud', typed: '', member: MEMBER };
    const completed = probes.dispatcher.complete({ ...request, space: CHANNEL.space });
    probes.script.rested.resolve();
    expect(await completed).toEqual([]);
    asked.resolve([]);
    await expect.poll(() => ended).toBe(true);
  });

  it('has what needs a part of the platform only where that is', async () => {
    const named = (platform: string) =>
      probes.dispatcher.commands('en', platform).map(({ name }) => name);
    expect(named('test')).toEqual(['probe', 'probes guarded', 'probespeech', 'probing']);
    expect(named('spoken')).toEqual(['probe', 'probes guarded', 'probespeech']);
    expect(named('elsewhere')).toEqual(['probe', 'probes guarded']);
    expect(probes.dispatcher.elsewhere('elsewhere')).toEqual(['probing', 'probespeech']);
    expect(probes.dispatcher.elsewhere('test')).toEqual([]);
    const [, guarded, speaking, needing] = probes.dispatcher.commands('en', 'test');
    expect(guarded?.moderators).toBe(true);
    expect([speaking?.needs, needing?.needs]).toEqual(['rooms', 'watch']);
    expect((await probes.run('probespeech', {}, { channel: SPOKEN }))?.text).toBe('said');
    const content = await probes.run('probing', {}, { channel: ELSEWHERE });
    expect(content?.text).toBe(sentence('errors.unknown-command', { command: '`/probing`' }));
  });

  it('names the presses whose answers are for the presser alone', () => {
    const infos = probes.dispatcher.commands('en', 'test');
    const named = infos.map(({ name, privatePresses }) => [name, privatePresses]);
    expect(named).toContainEqual(['probing', ['probing alone']]);
    expect(named).toContainEqual(['probe', undefined]);
  });
});

it('tells of voice channels only where there are any', () => {
  const [action] = actionsOf(ask);
  const told = (hasRooms: boolean): string =>
    describeAction(action!, texts, 'en', { naming: 'plain', hasRooms }).options[0]!.description;
  const key = 'commands.ask.options.question';
  expect(told(false)).toBe(sentence(key, { rooms: 'no' }));
  expect(told(true)).toBe(sentence(key, { rooms: 'yes' }));
  expect(told(true)).not.toBe(told(false));
});
