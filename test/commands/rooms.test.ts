import { describe, expect, it } from 'vitest';
import type { MessageKey } from '../../src/errors.ts';
import { SPACE, labelled } from '../fakes/command-harness.ts';
import type { Shown } from '../fakes/platform.ts';
import { useCommandHarness } from './support.ts';
import { sentence } from '../fakes/sentences.ts';

const harness = useCommandHarness();

const choices = async () => (await harness().services.spaces.of(SPACE)).rooms;
const open = async (page: MessageKey): Promise<Shown> => {
  await harness().run('rooms');
  return harness().press(page);
};

describe('/rooms', () => {
  it('shows what is on', async () => {
    const { text } = await harness().run('rooms');
    expect(text.split('\n')).toEqual([
      sentence('rooms.heading'),
      `- ${sentence('rooms.joins-are', { channels: '–' })}`,
      `- ${sentence('rooms.consent-is-told')}`,
      `- ${sentence('rooms.spoken-is-on')}`,
      `- ${sentence('captions.as-spoken')}`,
      `- ${sentence('rooms.partials-are-on')}`,
      `- ${sentence('rooms.all-is-off')}`,
      `- ${sentence('rooms.pause-is', { seconds: 0.6 })}`,
      `- ${sentence('rooms.barge-in-is-off')}`,
      `- ${sentence('rooms.wake-is-off')}`,
      `- ${sentence('rooms.reads', { channels: '–' })}`,
    ]);
    await harness().run('readaloud on');
    expect((await harness().run('rooms')).text).toContain(
      sentence('rooms.reads', { channels: '<#100>' }),
    );
  });

  it('sets which rooms are joined', async () => {
    await open('rooms.page-joins');
    const content = await harness().press('rooms.joins-choose', ['500', '501']);
    expect(labelled(content, 'rooms.joins-choose')).toMatchObject({ chosen: ['500', '501'] });
    expect((await harness().press('settings.back')).text).toContain(
      sentence('rooms.joins-are', { channels: '<#500> <#501>' }),
    );
    expect((await choices()).joins).toEqual(['500', '501']);
  });

  it('tells which of them cannot be joined, and what it takes', async () => {
    harness().rooms.lacking.set('501', ['Connect', 'Speak']);
    await open('rooms.page-joins');
    const { text } = await harness().press('rooms.joins-choose', ['500', '501']);
    expect(text).toContain('<#501>');
    expect(text).toContain('Connect, Speak');
    expect(text).not.toContain('<#500>');
  });

  it('sets who is heard, and how people are told', async () => {
    await open('rooms.page-heard');
    const content = await harness().press('rooms.consent', ['agreed']);
    expect(labelled(content, 'rooms.consent')).toMatchObject({
      choices: [{ chosen: false }, { value: 'agreed', chosen: true }],
    });
    await harness().press('rooms.spoken-off');
    expect(await choices()).toMatchObject({ consent: 'agreed', spokenNotice: false });
    await harness().press('rooms.spoken-on');
    expect((await harness().press('settings.back')).text).toContain(
      sentence('rooms.consent-is-agreed'),
    );
    expect((await choices()).spokenNotice).toBe(true);
  });

  it('takes no value that is not offered, and no word for a language', async () => {
    await open('rooms.page-heard');
    await harness().press('rooms.consent', ['agreed']);
    await harness().pressNamed('rooms consent', {}, ['all']);
    await harness().pressNamed('rooms languages', {}, ['everything']);
    expect(await choices()).toMatchObject({ consent: 'agreed', languages: [] });
  });

  it('sets that lines are shown that may have been misheard', async () => {
    await open('rooms.page-captions');
    await harness().press('rooms.all-on');
    expect((await choices()).showsAll).toBe(true);
    expect((await harness().press('settings.back')).text).toContain(sentence('rooms.all-is-on'));
    await open('rooms.page-captions');
    await harness().press('rooms.all-off');
    expect((await choices()).showsAll).toBe(false);
  });

  it('sets the languages and the pace of captions', async () => {
    await open('rooms.page-captions');
    await harness().press('rooms.languages', ['es', 'ja']);
    await harness().press('rooms.partials-off');
    expect(await choices()).toMatchObject({ languages: ['es', 'ja'], partials: false });
    await harness().press('rooms.languages', []);
    await harness().press('rooms.partials-on');
    expect(await choices()).toMatchObject({ languages: [], partials: true });
  });

  it('sets the pause that ends a line', async () => {
    const pause = 'rooms.pause';
    const offered = labelled(await open('rooms.page-captions'), pause);
    expect(offered).toMatchObject({
      choices: [
        { value: '400', label: sentence('rooms.pause-400', { seconds: 0.4 }), chosen: false },
        { value: '600', chosen: true },
        { value: '900', chosen: false },
        { value: '1500', chosen: false },
      ],
    });
    const content = await harness().press(pause, ['1500']);
    expect(labelled(content, pause)).toMatchObject({ choices: [{}, {}, {}, { chosen: true }] });
    expect(await choices()).toMatchObject({ pauseMs: 1_500, partials: true });
    expect((await harness().press('settings.back')).text).toContain(
      sentence('rooms.pause-is', { seconds: 1.5 }),
    );
  });

  it('takes every language as an option, and offers it from then on', async () => {
    const { text } = await harness().run('rooms', { languages: 'Icelandic, Spanish' });
    expect(text).toContain(sentence('captions.into', { languages: 'Icelandic, Spanish' }));
    const content = await harness().press('rooms.page-captions');
    const control = labelled(content, 'rooms.languages');
    const offered = control?.kind === 'choice' ? control.choices : [];
    expect(offered).toHaveLength(25);
    expect(offered.filter(({ chosen }) => chosen).map(({ value }) => value)).toEqual(['is', 'es']);
    expect((await harness().run('rooms', { languages: 'Klingonese' })).tone).toBe('error');
    expect(await harness().complete('rooms', 'languages', 'jap')).toContain(
      'ja|Japanese · 日本語 (ja)',
    );
  });

  it('sets how it speaks and answers', async () => {
    await open('rooms.page-speech');
    await harness().press('rooms.barge-in', ['lower']);
    await harness().press('rooms.wake-on');
    expect(await choices()).toMatchObject({ bargeIn: 'lower', wakeWord: true });
    const { text } = await harness().press('settings.back');
    expect(text).toContain(sentence('rooms.barge-in-is-lower'));
    expect(text).toContain(sentence('rooms.wake-is-on'));
    await open('rooms.page-speech');
    await harness().press('rooms.wake-off');
    await harness().press('rooms.barge-in', ['stop']);
    expect(await choices()).toMatchObject({ bargeIn: 'stop', wakeWord: false });
  });

  it('changes one thing at a time, and nothing for members', async () => {
    await open('rooms.page-speech');
    await harness().press('rooms.barge-in', ['stop']);
    const member = { role: 'member' } as const;
    const refused = await harness().press('rooms.wake-on', [], { member });
    expect(refused).toMatchObject({
      text: sentence('errors.needs-moderator', { platform: 'test' }),
      tone: 'error',
    });
    expect(refused.controls ?? []).toEqual([]);
    expect(await choices()).toMatchObject({ bargeIn: 'stop', wakeWord: false, partials: true });
    expect((await harness().run('rooms', {}, { member })).tone).toBe('error');
  });

  it('fits what platforms take: five controls, short ids, few choices', async () => {
    for (const page of [
      'rooms.page-joins',
      'rooms.page-heard',
      'rooms.page-captions',
      'rooms.page-speech',
    ] as const)
      await open(page);
    for (const { controls = [], text } of harness().shown) {
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
