import { describe, expect, it } from 'vitest';
import type { MessageKey, SentenceParams } from '../../src/errors.ts';
import { HERE, SPACE } from '../fakes/command-harness.ts';
import { sentence } from '../fakes/sentences.ts';
import { memberElsewhere } from './autotranslate/support.ts';
import { ROOM, useCommandHarness, useRoom } from './support.ts';

const harness = useCommandHarness();
const { meet } = useRoom(harness);

const ANN = { name: 'Ann', locale: 'de' };
const run = (command: string, options = {}, member: object = ANN) =>
  harness().run(command, options, { member });
const readIn = (reading: string) => harness().services.spaces.change(SPACE, { rules: { reading } });

type Answer = readonly [
  command: string,
  options: Readonly<Record<string, unknown>>,
  key: MessageKey,
  params?: SentenceParams,
  before?: () => Promise<unknown>,
];
const here = { channel: '<#100>' };
const inRoom = async (): Promise<void> => {
  harness().rooms.people.set('ada', ROOM);
  await meet();
};

const ANSWERS: readonly Answer[] = [
  ['flags expire', { minutes: 5 }, 'flags.expire', { count: 5 }],
  [
    'flags set',
    { emoji: '🐉', language: 'ja' },
    'flags.set',
    { emoji: '🐉', language: 'japonais' },
  ],
  ['readaloud on', {}, 'readaloud.on', here],
  ['leave', {}, 'leave.left', { channel: '<#500>' }, inRoom],
  ['captions start', {}, 'captions.started', { room: '<#500>', channel: '<#500>' }, inRoom],
];

describe('an answer that all see', () => {
  it.each(ANSWERS.map((answer) => ({ command: answer[0], answer })))(
    'of /$command is in the language of the server',
    async ({ answer: [command, options, key, params, before] }) => {
      await before?.();
      await readIn('fr');
      const { text } = await run(command, options);
      expect(text.replaceAll('`', '')).toContain(sentence(key, params, 'fr').replaceAll('`', ''));
    },
  );

  it('is in the language that the server has on its platform, unless its moderators chose another', async () => {
    const answer = () => run('flags expire', { minutes: 0 }, { ...ANN, spaceLocale: 'ja' });
    expect((await answer()).text).toBe(sentence('flags.stay', {}, 'ja'));
    await readIn('fr');
    expect((await answer()).text).toBe(sentence('flags.stay', {}, 'fr'));
  });

  it('is in the language of a linked channel', async () => {
    await run('autotranslate mirror', { channels: '<#100> fr <#2> es' });
    expect((await run('flags expire', { minutes: 0 })).text).toBe(sentence('flags.stay', {}, 'fr'));
  });

  it('is in that of the person where no other is known, and where they alone read it', async () => {
    const off = sentence('autotranslate.off', here, 'de');
    await run('autotranslate mirror', { channels: '<#100> fr <#2> es' });
    harness().script.members = [memberElsewhere()];
    const asked = await run('autotranslate off');
    expect(asked.tone).toBe('question');
    expect(asked.text).toContain(sentence('autotranslate.panel-sure', here, 'de'));
    const ended = await harness().pressNamed('autotranslate end:100', { member: ANN });
    expect(ended.text).toContain(off);
    await readIn('fr');
    await run('autotranslate reply', { languages: 'es' });
    expect((await run('autotranslate off')).text).toContain(off);
    const talk = { ...HERE, id: 'talk' };
    const { watches } = harness().services;
    Object.assign(watches, { isTalk: ({ id }: { id: string }) => id === talk.id });
    const alone = await harness().run(
      'flags expire',
      { minutes: 0 },
      { member: ANN, channel: talk },
    );
    expect(alone.text).toBe(sentence('flags.stay', {}, 'de'));
  });
});

describe('/autotranslate', () => {
  it('answers who used it alone: what the channel reads are its notices', () => {
    const all = harness().commands.filter(({ name }) => name.startsWith('autotranslate '));
    expect(all.length).toBeGreaterThan(10);
    expect(all.filter((info) => !info.private)).toEqual([]);
  });
});
