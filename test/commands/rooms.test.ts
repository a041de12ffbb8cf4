import { describe, expect, it } from 'vitest';
import type { Content, Control } from '../../src/model/content.ts';
import { SPACE } from '../fakes/command-harness.ts';
import { useDesk } from './support.ts';

const desk = useDesk();

const choices = async () => (await desk().services.spaces.of(SPACE)).rooms;
const named = (content: Content, label: string): Control | undefined =>
  content.controls?.find((control) => control.label === label);
const open = async (page: string): Promise<Content> => {
  await desk().run('rooms');
  return desk().press(page);
};

describe('/rooms', () => {
  it('shows what is on', async () => {
    const { text } = await desk().run('rooms');
    expect(text.split('\n')).toEqual([
      '**Voice channels**',
      '- I join by myself and show captions in: –',
      '- I listen to those who were told of it and did not object.',
      '- The notice is also said aloud.',
      '- Captions are in the language that is spoken.',
      '- Captions appear while somebody still speaks.',
      '- A line ends after a pause of 0.6 s.',
      '- When a person begins to speak, I go on.',
      '- Questions are asked with `/ask` only.',
      '- Read aloud, by `/readaloud`: –',
    ]);
    await desk().run('readaloud on');
    expect((await desk().run('rooms')).text).toContain('by `/readaloud`: <#100>');
  });

  it('sets which rooms are joined', async () => {
    await open('Joining');
    const content = await desk().press('Voice channels that I join', ['500', '501']);
    expect(named(content, 'Voice channels that I join')).toMatchObject({ chosen: ['500', '501'] });
    expect((await desk().press('Back')).text).toContain('captions in: <#500> <#501>');
    expect((await choices()).joins).toEqual(['500', '501']);
  });

  it('tells which of them cannot be joined, and what it takes', async () => {
    desk().rooms.lacking.set('501', ['Connect', 'Speak']);
    await open('Joining');
    const { text } = await desk().press('Voice channels that I join', ['500', '501']);
    expect(text).toContain('<#501>');
    expect(text).toContain('Connect, Speak');
    expect(text).not.toContain('<#500>');
  });

  it('sets who is heard, and how people are told', async () => {
    await open('Who is heard');
    const content = await desk().press('Who is heard', ['agreed']);
    expect(named(content, 'Who is heard')).toMatchObject({
      choices: [{ chosen: false }, { value: 'agreed', chosen: true }],
    });
    await desk().press('Only write the notice');
    expect(await choices()).toMatchObject({ consent: 'agreed', spokenNotice: false });
    await desk().press('Say the notice aloud');
    expect((await desk().press('Back')).text).toContain('I listen only to those who agreed to it.');
    expect((await choices()).spokenNotice).toBe(true);
  });

  it('sets the languages and the pace of captions', async () => {
    await open('Captions');
    await desk().press('Languages of captions', ['es', 'ja']);
    await desk().press('Caption when somebody has finished');
    expect(await choices()).toMatchObject({ languages: ['es', 'ja'], partials: false });
    await desk().press('Languages of captions', []);
    await desk().press('Caption while somebody speaks');
    expect(await choices()).toMatchObject({ languages: [], partials: true });
  });

  it('sets the pause that ends a line', async () => {
    const pause = 'The pause that ends a line';
    const offered = named(await open('Captions'), pause);
    expect(offered).toMatchObject({
      choices: [
        { value: '400', label: 'Quick: a short pause ends a line (0.4 s)', chosen: false },
        { value: '600', chosen: true },
        { value: '900', chosen: false },
        { value: '1500', chosen: false },
      ],
    });
    const content = await desk().press(pause, ['1500']);
    expect(named(content, pause)).toMatchObject({ choices: [{}, {}, {}, { chosen: true }] });
    expect(await choices()).toMatchObject({ pauseMs: 1_500, partials: true });
    expect((await desk().press('Back')).text).toContain('after a pause of 1.5 s');
  });

  it('takes every language as an option, and offers it from then on', async () => {
    const { text } = await desk().run('rooms', { languages: 'Icelandic, Spanish' });
    expect(text).toContain('Captions are translated into: Icelandic, Spanish.');
    const content = await desk().press('Captions');
    const control = named(content, 'Languages of captions');
    const offered = control?.kind === 'choice' ? control.choices : [];
    expect(offered).toHaveLength(25);
    expect(offered.filter(({ chosen }) => chosen).map(({ value }) => value)).toEqual(['is', 'es']);
    expect((await desk().run('rooms', { languages: 'Klingonese' })).tone).toBe('error');
    expect(await desk().complete('rooms', 'languages', 'jap')).toContain(
      'ja|Japanese · 日本語 (ja)',
    );
  });

  it('sets how it speaks and answers', async () => {
    await open('Speaking');
    await desk().press('When a person begins to speak', ['lower']);
    await desk().press('Answer to my name');
    expect(await choices()).toMatchObject({ bargeIn: 'lower', wakeWord: true });
    const { text } = await desk().press('Back');
    expect(text).toContain('When a person begins to speak, I speak more softly.');
    expect(text).toContain('My name, said aloud, begins a question.');
    await open('Speaking');
    await desk().press('Do not answer to my name');
    await desk().press('When a person begins to speak', ['stop']);
    expect(await choices()).toMatchObject({ bargeIn: 'stop', wakeWord: false });
  });

  it('changes one thing at a time, and nothing for members', async () => {
    await open('Speaking');
    await desk().press('When a person begins to speak', ['stop']);
    const member = { role: 'member' } as const;
    const refused = await desk().press('Answer to my name', [], { member });
    expect(refused.text).toContain('> ⚠️ Only moderators can do that.');
    expect(named(refused, 'Answer to my name')).toBeDefined();
    expect(await choices()).toMatchObject({ bargeIn: 'stop', wakeWord: false, partials: true });
    expect((await desk().run('rooms', {}, { member })).tone).toBe('error');
  });

  it('fits what platforms take: five controls, short ids, few choices', async () => {
    for (const page of ['Joining', 'Who is heard', 'Captions', 'Speaking']) await open(page);
    for (const { controls = [], text } of desk().shown) {
      expect(text.length).toBeLessThan(2_000);
      expect(controls.length).toBeLessThanOrEqual(5);
      expect(new Set(controls.map(({ press }) => press)).size).toBe(controls.length);
      for (const control of controls) {
        expect(control.press.length).toBeLessThanOrEqual(100);
        expect(control.label.length).toBeLessThanOrEqual(80);
        if (control.kind === 'choice') expect(control.choices.length).toBeLessThanOrEqual(25);
      }
    }
  });
});
