import { describe, expect, it } from 'vitest';
import { userError } from '../../../src/errors.ts';
import { labelled } from '../../fakes/command-harness.ts';
import type { Shown } from '../../fakes/platform.ts';
import { sentence } from '../../fakes/sentences.ts';
import { BOB, useCommandHarness } from '../support.ts';
import { memberElsewhere, watchesOf } from './support.ts';
import { usePanel } from './panel-support.ts';

const harness = useCommandHarness();
const { openChannel } = usePanel(harness);
const CODE = 'ABCD-EFGH-JKMN';
const openElsewhere = async (id: string): Promise<Shown> => {
  await openChannel(id);
  return harness().press('autotranslate.panel-elsewhere');
};
const replaced = (channel: string) => {
  const before = `${sentence('autotranslate.modes.reply')} · Spanish`;
  return sentence('autotranslate.link-replaces', { channel, before });
};

describe('the page of channels elsewhere', () => {
  it('lists them with what can be done, makes a code, and goes back', async () => {
    await harness().run('autotranslate mirror', { channels: '<#1> en <#2> es' });
    harness().script.members = [memberElsewhere()];
    const page = await openElsewhere('1');
    expect(page.text).toContain('- #there');
    await harness().press('members.choose', ['slack C8']);
    await harness().press('members.mute');
    expect(harness().script.decided).toEqual(['mute slack C8']);
    const made = await harness().press('autotranslate.link-make');
    expect(made.text).toContain(CODE);
    expect(made.text).toContain(sentence('autotranslate.link-enter'));
    expect(made.text).toContain('<#1>, <#2>, and #there');
    expect((await harness().press('settings.back')).text).toContain('- #there');
    const back = await harness().press('settings.back');
    expect(back.text).toContain(sentence('autotranslate.panel-heading', { channel: '<#1>' }));
  });

  it('offers codes for a channel that is not linked, asks then for its language, and says what a link replaces', async () => {
    await harness().run('autotranslate reply', { languages: 'es', channel: '3' });
    const page = await openElsewhere('3');
    expect(page.text).toBe(
      `${sentence('members.none', { channel: '<#3>' })}\n\n⚠️ ${replaced('<#3>')}`,
    );
    const asked = await harness().press('autotranslate.link-make');
    expect(asked.text).toBe(
      `${sentence('autotranslate.panel-link-language', { channel: '<#3>' })}\n\n⚠️ ${replaced('<#3>')}`,
    );
    await harness().press('autotranslate.panel-find', ['swahi']);
    const { text } = await harness().press('autotranslate.panel-language', ['sw']);
    expect(text).toContain(`⚠️ ${replaced('<#3>')}`);
    expect(text).toContain(CODE);
    expect(watchesOf(harness())).toMatchObject([{ id: '3', mode: 'reply' }]);
  });

  const LINK = { by: 'Bob', channel: '#there', expiresMs: 60_000 };
  it.each([
    ['3', false, 'autotranslate.link-withdraw', 'withdraw', 'autotranslate.link-withdrawn'],
    ['3', true, 'autotranslate.link-yes', 'link', 'autotranslate.link-done'],
    ['1', true, 'autotranslate.link-no', 'refuse', 'autotranslate.link-refused'],
  ] as const)(
    'shows an open link of channel %s (asked: %s) with %s',
    async (id, isAsked, key, done, became) => {
      await harness().run('autotranslate mirror', { channels: '<#1> en <#2> es' });
      harness().script.openLinks = [{ ...LINK, id: 'open', isAsked }];
      const { text } = await openElsewhere(id);
      const said = isAsked ? 'autotranslate.link-asking' : 'autotranslate.link-waiting';
      const params = { name: 'Bob', channel: '#there', until: '' };
      expect(text).toContain(sentence(said, params).split('#there')[0]);
      const { controls: pressed } = await harness().run('autotranslate links', { channel: id });
      expect(labelled({ controls: pressed ?? [] }, key)).toBeDefined();
      await openElsewhere(id);
      harness().script.openLinks = [];
      const after = await harness().press(key);
      expect(harness().script.decided).toEqual([`${done} open`]);
      expect(after.text).toContain(sentence(became));
    },
  );

  it('shows an open link anew where the channel was set up otherwise since', async () => {
    harness().script.openLinks = [{ ...LINK, id: 'open', isAsked: true }];
    await openElsewhere('3');
    const { services } = harness();
    const answer = services.watches.answer.bind(services.watches);
    const seen: (string | undefined)[] = [];
    services.watches.answer = async (...asked) => {
      seen.push(asked[5]);
      if (seen.length > 1) return answer(...asked);
      await harness().run('autotranslate reply', { languages: 'es', channel: '3' });
      return { text: [], controls: [] };
    };
    const anew = await harness().press('autotranslate.link-yes');
    expect(anew.text).toContain(sentence('autotranslate.panel-changed', { channel: '<#3>' }));
    expect(anew.text).toContain(replaced('<#3>'));
    const done = await harness().pressNamed(
      labelled({ controls: anew.controls ?? [] }, 'autotranslate.link-yes')?.press ?? '',
    );
    expect(done.text).toContain(sentence('autotranslate.link-done'));
    expect(seen[0]).not.toBe(seen[1]);
    expect(harness().script.decided).toEqual(['link open']);
  });

  it.each([
    [true, 'autotranslate.link-yes'],
    [true, 'autotranslate.link-no'],
    [false, 'autotranslate.link-withdraw'],
  ] as const)(
    'says of an open link that is over meanwhile that it is, %s: %s',
    async (isAsked, key) => {
      harness().script.openLinks = [{ ...LINK, id: 'open', isAsked }];
      await openElsewhere('3');
      harness().script.openLinks = [];
      const over = async (): Promise<never> => {
        throw userError('not-found', 'autotranslate.link-over');
      };
      Object.assign(harness().services.watches, { answer: over, withdraw: over });
      const after = await harness().press(key);
      expect(after.text).toContain(sentence('autotranslate.link-over'));
      expect(labelled({ controls: after.controls ?? [] }, key)).toBeUndefined();
    },
  );

  it('tells open links apart, and keeps its controls within what platforms show', async () => {
    await harness().run('autotranslate mirror', { channels: '<#1> en <#2> es' });
    harness().script.members = [memberElsewhere()];
    harness().script.openLinks = Array.from({ length: 5 }, (_, at) => ({
      ...LINK,
      id: `open${at}`,
      isAsked: true,
    }));
    await openElsewhere('1');
    const { text, controls = [] } = await harness().press('members.choose', ['slack C8']);
    const buttons = controls.filter(({ kind }) => kind === 'button');
    expect(controls.length - buttons.length + Math.ceil(buttons.length / 5)).toBeLessThanOrEqual(5);
    expect(new Set(buttons.map(({ label }) => label)).size).toBe(buttons.length);
    expect(text).toContain(sentence('settings.more', { count: 2 }));
  });

  it('counts the open links of all channels on the first page, and leads to them', async () => {
    await harness().run('autotranslate mirror', { channels: '<#1> en <#2> es' });
    harness().script.openLinksIn = ['1', '3', '3'];
    const says = (count: number, channels: string): string =>
      sentence('autotranslate.open-links', { count, channels });
    const front = await harness().run('autotranslate panel');
    expect(front.text).toContain(says(3, '<#1>, <#3>'));
    harness().script.members = [memberElsewhere()];
    expect((await harness().press('autotranslate.open-links-show')).text).toContain('#there');
    const links = await harness().run('autotranslate links', { channel: '1' });
    expect(links.text).toContain(says(2, '<#3>'));
    const { text } = await harness().press('autotranslate.open-links-show');
    expect(text).toContain(sentence('members.none', { channel: '<#3>' }));
    // Who may not decide about all linked channels here cannot answer.
    harness().script.access = { 2: 'none' };
    expect((await harness().run('autotranslate panel')).text).toContain(says(2, '<#3>'));
    harness().script.openLinksIn = ['1'];
    const unseen = await harness().run('autotranslate panel');
    expect(labelled(unseen, 'autotranslate.open-links-show')).toBeUndefined();
  });

  it('takes a code, shows what it would link, and links once that is pressed', async () => {
    await openElsewhere('3');
    await harness().press('autotranslate.link-enter', [` ${CODE} `]);
    const shown = await harness().press('autotranslate.panel-language', ['ja']);
    expect(shown.text).toContain(
      sentence('autotranslate.link-see', { channel: '<#3>', channels: '#there', name: 'Ann' }),
    );
    expect(watchesOf(harness())).toEqual([]);
    const done = await harness().press('autotranslate.link-yes');
    expect(watchesOf(harness())).toMatchObject([{ id: '3', mode: 'mirror', languages: ['ja'] }]);
    expect(done.controls?.map(({ press }) => press)).toEqual(['autotranslate links:3']);
  });

  it('refuses an unknown code before it asks anything, and takes it again there', async () => {
    await openElsewhere('3');
    const refused = await harness().press('autotranslate.link-enter', ['WRONG']);
    expect(refused.text).toContain(sentence('autotranslate.link-unknown'));
    await harness().press('autotranslate.link-enter', [CODE]);
    await harness().press('autotranslate.panel-language', ['ja']);
    await harness().press('autotranslate.link-yes');
    expect(watchesOf(harness())).toMatchObject([{ id: '3', languages: ['ja'] }]);
  });

  it('keeps its controls within what platforms show', async () => {
    await harness().run('autotranslate mirror', { channels: '<#1> en <#2> es' });
    harness().script.members = [memberElsewhere()];
    await openElsewhere('1');
    const { controls = [] } = await harness().press('members.choose', ['slack C8']);
    const buttons = controls.filter(({ kind }) => kind === 'button').length;
    expect(controls.length - buttons + Math.ceil(buttons / 5)).toBeLessThanOrEqual(5);
  });

  it.each([
    ['links:1', []],
    ['invite:1', []],
    ['invite:3//v', []],
    ['enter:1', [CODE]],
    ['enter:3//v', [CODE]],
    [`codeas:3/${CODE}/v`, ['ja']],
    ['codeas:3//v', ['ja']],
  ])('tells and does nothing where somebody who may not forges it: %s', async (press, values) => {
    await harness().run('autotranslate mirror', { channels: '<#1> en <#2> es' });
    harness().script.members = [memberElsewhere()];
    const tried = async (asking = {}) => {
      const { text, controls = [] } = await harness().pressNamed(
        `autotranslate ${press}`,
        asking,
        values,
      );
      expect(text).not.toMatch(/#there|ABCD/);
      expect(labelled({ controls }, 'autotranslate.link-yes')).toBeUndefined();
    };
    await tried({ member: BOB });
    harness().script.access = { 1: 'none', 3: 'none' };
    await tried();
    harness().script.access = { 2: 'none' };
    if (press.includes(':1')) await tried();
  });

  it.each(['invite:3', 'invite:3/klingon', 'enter:3'])('makes nothing of %s', async (press) => {
    const { text } = await harness().pressNamed(`autotranslate ${press}`, {}, [CODE]);
    expect(text).not.toContain('ABCD');
  });
});
