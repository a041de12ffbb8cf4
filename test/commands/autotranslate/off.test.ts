import { describe, expect, it } from 'vitest';
import { HERE, labelled, SPACE } from '../../fakes/command-harness.ts';
import { sentence } from '../../fakes/sentences.ts';
import { watchOf } from '../../fakes/autotranslate.ts';
import { BOB, useCommandHarness } from '../support.ts';
import { memberElsewhere, watchesOf } from './support.ts';

const harness = useCommandHarness();

describe('/autotranslate off', () => {
  it('ends the watch of a channel, and says so where there was none', async () => {
    await harness().run('autotranslate reply', { languages: 'es' });
    expect((await harness().run('autotranslate off')).text).toContain('<#100>');
    expect(watchesOf(harness())).toEqual([]);
    expect(await harness().run('autotranslate off')).toMatchObject({ tone: 'note' });
  });

  it('offers to set the channel up anew, in the panel too, beside Undo', async () => {
    for (const off of [
      () => harness().run('autotranslate off'),
      () => harness().pressNamed('autotranslate off:100'),
    ]) {
      await harness().run('autotranslate reply', { languages: 'es' });
      const { controls } = await off();
      expect(labelled({ controls: controls ?? [] }, 'autotranslate.wizard-undo')).toBeDefined();
      await harness().press('autotranslate.panel-anew');
      await harness().press('autotranslate.panel-languages', ['ja']);
      expect(watchesOf(harness())).toMatchObject([{ id: '100', languages: ['ja'] }]);
    }
  });

  it('ends a group of which one channel would be left', async () => {
    await harness().run('autotranslate mirror', { channels: '<#1> en <#2> es <#3> fr' });
    await harness().run('autotranslate off', { channel: '1' });
    expect(watchesOf(harness())).toHaveLength(2);
    const { text } = await harness().run('autotranslate off', { channel: '2' });
    expect(text).toContain(sentence('autotranslate.off-too', { channel: '<#3>' }));
    expect(watchesOf(harness())).toEqual([]);
  });

  it('ends the watch of a thread’s channel, or of a thread that is a mirror itself', async () => {
    const channel = { ...HERE, id: '101', parentId: '100' };
    await harness().run('autotranslate reply', { languages: 'es' });
    await harness().run('autotranslate mirror', { channels: '<#101> en <#102> es <#103> fr' });
    await harness().run('autotranslate off', {}, { channel });
    expect(watchesOf(harness()).map(({ id }) => id)).toEqual(['100', '102', '103']);
    await harness().run('autotranslate off', {}, { channel });
    expect(watchesOf(harness()).map(({ id }) => id)).toEqual(['102', '103']);
  });
});

describe('the rules of a channel that is turned off', () => {
  const RULE = { about: 'people', values: '<@1>' };
  const hold = { channel: '<#100>', entry: sentence('rules.panel') };
  const begin = async () => {
    await harness().run('autotranslate reply', { languages: 'es' });
    await harness().run('autotranslate rules', RULE);
  };
  const rules = () => harness().services.watches.of(HERE)?.choices?.rules;

  it('are said to be kept, in the question, too, where there are some', async () => {
    const kept = sentence('autotranslate.rules-kept', { channel: '<#100>', days: 400 });
    await harness().run('autotranslate reply', { languages: 'es' });
    expect((await harness().pressNamed('autotranslate sure:100')).text).not.toContain(kept);
    await harness().run('autotranslate rules', RULE);
    expect((await harness().pressNamed('autotranslate sure:100')).text).toContain(kept);
    expect((await harness().run('autotranslate off')).text).toContain(kept);
    await harness().run('autotranslate reply', { languages: 'es' });
    expect((await harness().pressNamed('autotranslate off:100')).text).toContain(kept);
  });

  it.each<[string, () => Promise<{ readonly text: string }>]>([
    ['reply', () => harness().run('autotranslate reply', { languages: 'es' })],
    ['request', () => harness().run('autotranslate request')],
    ['mirror', () => harness().run('autotranslate mirror', { channels: '<#100> en <#2> es' })],
    [
      'add',
      async () => {
        await harness().run('autotranslate mirror', { channels: '<#1> fr <#2> es' });
        return harness().run('autotranslate add', { language: 'en', channel: '100', with: '1' });
      },
    ],
    [
      'the panel',
      async () => {
        await harness().pressNamed('autotranslate page:100');
        return harness().press('autotranslate.panel-languages', ['ja']);
      },
    ],
  ])('apply again after %s, which says so and where they end', async (_, anew) => {
    await begin();
    const before = rules();
    await harness().run('autotranslate off');
    const { text } = await anew();
    expect(rules()).toEqual(before);
    expect(text).toContain(sentence('autotranslate.rules-hold', hold));
    const list = await harness().run('autotranslate list');
    expect(list.text).toContain(sentence('autotranslate.with-rules'));
  });
});

describe('a channel that is paused', () => {
  it.each<[string, Record<string, unknown>]>([
    ['add', { language: 'de' }],
    ['remove', { language: 'fr' }],
    ['compact', { languages: 'de' }],
  ])('is said to be so by %s', async (command, options) => {
    await harness().run('autotranslate reply', { languages: 'es, fr' });
    await harness().services.watches.pause(HERE, true);
    const { text } = await harness().run(`autotranslate ${command}`, options);
    expect(text).toContain(sentence('autotranslate.still-paused', { channel: '<#100>' }));
  });

  it('is said to be so where moderators elsewhere did that', async () => {
    await harness().run('autotranslate mirror', { channels: '<#1> en <#2> es' });
    harness().script.members = [memberElsewhere({ holds: true })];
    await harness().run('autotranslate add', { language: 'fr', channel: '100', with: '1' });
    const { text } = await harness().press('autotranslate.link-yes');
    expect(text).toContain(`#there · ${sentence('members.holds', { channel: '<#100>' })}`);
  });
});

describe('Undo of /autotranslate off', () => {
  const all = () => harness().services.watches.list(HERE.space);
  const undo = (asking = {}) => harness().press('autotranslate.wizard-undo', [], asking);

  it('sets a channel back as it was, with its rules and its pause', async () => {
    await harness().run('autotranslate thread', { languages: 'es, ja', bots: true });
    await harness().run('autotranslate rules', { about: 'shortest', values: '5' });
    await harness().services.watches.pause(HERE, true);
    const before = all();
    await harness().run('autotranslate off');
    expect(all()).toEqual([]);
    const { text } = await undo();
    expect(text).toContain(sentence('autotranslate.restored'));
    expect(all()).toEqual(before);
  });

  it('sets back a channel of a group, and the group that ended with it', async () => {
    await harness().run('autotranslate mirror', { channels: '<#1> en <#2> es <#3> fr' });
    const before = new Set(all());
    await harness().run('autotranslate remove', { channel: '1' });
    const { text } = await undo();
    expect(text.match(/<#\d>/g)).toEqual(expect.arrayContaining(['<#1>', '<#2>', '<#3>']));
    expect(new Set(all())).toEqual(before);
    await harness().run('autotranslate off', { channel: '1' });
    await harness().run('autotranslate off', { channel: '2' });
    await undo();
    expect(all().map(({ channel }) => channel.id)).toEqual(['2', '3']);
    expect(new Set(all().map(({ group }) => group)).size).toBe(1);
  });

  it.each(['off', 'end'])(
    'sets back a whole group that was turned off at once: %s',
    async (name) => {
      await harness().run('autotranslate mirror', { channels: '<#1> en <#2> es <#3> fr <#4> de' });
      const before = new Set(all());
      const asked = await harness().pressNamed('autotranslate sure:2');
      const labels = (asked.controls ?? []).map(({ label }) => label);
      expect(labels).toContain(sentence('autotranslate.off-one'));
      const whole = asked.controls?.find(
        ({ label }) => label === sentence('autotranslate.off-group', { count: 4 }),
      );
      expect(whole?.press).toBe('autotranslate off:2/4');
      const { text } = await harness().pressNamed(`autotranslate ${name}:2/4`);
      expect(text).toContain(
        sentence('autotranslate.off-all', { channels: '<#1>, <#2>, <#3>, <#4>' }),
      );
      expect(all()).toEqual([]);
      const undos = await harness().services.endedWatches.list(HERE.space);
      expect(undos.map(({ watches }) => watches.length)).toEqual([4]);
      await undo();
      expect(new Set(all())).toEqual(before);
    },
  );

  it('is asked for a group as it is: of two channels, or with others elsewhere, one alone is named', async () => {
    await harness().run('autotranslate mirror', { channels: '<#1> en <#2> es <#3> fr' });
    harness().script.members = [memberElsewhere()];
    const only = sentence('autotranslate.panel-remove');
    const asked = await harness().pressNamed('autotranslate sure:1');
    expect(asked.controls?.[0]?.label).toBe(only);
    const changed = sentence('autotranslate.panel-changed', { channel: '<#1>' });
    for (const forged of ['off:1/3', 'end:1/3'])
      expect((await harness().pressNamed(`autotranslate ${forged}`)).text).toContain(changed);
    harness().script.members = [];
    expect((await harness().pressNamed('autotranslate off:1/4')).text).toContain(changed);
    expect(all()).toHaveLength(3);
    await harness().run('autotranslate off', { channel: '3' });
    expect((await harness().pressNamed('autotranslate sure:1')).controls?.[0]?.label).toBe(only);
  });

  it('stands in the panel, too, and leads back there; the channel is told', async () => {
    await harness().run('autotranslate reply', { languages: 'es' });
    const before = all();
    await harness().pressNamed('autotranslate off:100');
    await undo();
    expect(all()).toEqual(before);
    expect(harness().script.toldOf).toMatchObject({ name: 'Ada' });
    const { text } = await harness().press('settings.back');
    expect(text).toContain(sentence('autotranslate.heading', { count: 1, threads: 0 }));
  });

  it('is not offered where a channel of another server was linked: that is asked before', async () => {
    await harness().run('autotranslate mirror', { channels: '<#1> en <#2> es <#3> fr' });
    harness().script.members = [memberElsewhere()];
    const asked = await harness().run('autotranslate off', { channel: '1' });
    const parts = { channel: '<#1>', channels: '<#2>, <#3>, #there', others: 3, elsewhere: 1 };
    expect(asked.text).toBe(
      [
        sentence('autotranslate.panel-sure', { channel: '<#1>' }),
        sentence('autotranslate.parts', parts),
      ].join('\n'),
    );
    expect(await harness().run('autotranslate remove', { channel: '1' })).toEqual(asked);
    expect(all()).toHaveLength(3);
    expect(asked.tone).toBe('question');
    const { text, controls } = await harness().press('autotranslate.panel-remove');
    expect(text).toContain(sentence('autotranslate.copies-stay'));
    expect(controls?.map(({ press }) => press)).toEqual(['autotranslate open:1']);
    expect(all()).toHaveLength(2);
  });

  it.each<[string, () => Promise<unknown> | void]>([
    ['minutes later', () => void (harness().script.passedMs = 10 * 60_000 + 1)],
    [
      'of what is set anew',
      () => harness().run('autotranslate reply', { languages: 'ja', channel: '100' }),
    ],
    [
      'of a group that ended meanwhile',
      () => harness().services.watches.remove({ ...HERE, id: '2' }),
    ],
  ])('does nothing %s', async (_, meanwhile) => {
    await harness().run('autotranslate mirror', { channels: '<#100> en <#2> es <#3> fr' });
    const { controls = [] } = await harness().run('autotranslate off', { channel: '100' });
    await meanwhile();
    const before = all();
    const { text } = await harness().pressNamed(controls[0]?.press ?? '');
    expect(text).toBe(sentence('autotranslate.undo-over'));
    expect(all()).toEqual(before);
  });

  it('does nothing where it is forged, or pressed by somebody who may not', async () => {
    await harness().run('autotranslate mirror', { channels: '<#100> en <#2> es <#3> fr' });
    const { controls = [] } = await harness().run('autotranslate off', { channel: '100' });
    const before = all();
    const { press = '' } = controls[0] ?? {};
    await harness().pressNamed('autotranslate restore:1234');
    await harness().pressNamed(press, { member: BOB });
    await harness().pressNamed(press, {
      channel: { ...HERE, space: { platform: 'test', id: 'other' } },
    });
    for (const id of ['100', '3']) {
      harness().script.access = { [id]: 'none' };
      await harness().pressNamed(press);
    }
    expect(all()).toEqual(before);
    harness().script.access = {};
    await harness().pressNamed(press);
    expect(all()).toHaveLength(3);
    const late = await harness().pressNamed(press);
    expect([late.text, late.tone]).toEqual([sentence('autotranslate.undone-already'), undefined]);
    expect(labelled(late, 'settings.back')).toMatchObject({ press: 'autotranslate page' });
    expect(all()).toHaveLength(3);
  });

  it.each(['panel', 'audit'])('leads back to %s where it was used already', async (place) => {
    await harness().run('autotranslate reply', { languages: 'es' });
    const { controls = [] } = await harness().run('autotranslate off');
    const press = `${controls[0]?.press ?? ''}/${place}`;
    await harness().pressNamed(press);
    const late = await harness().pressNamed(press);
    expect(late.text).toBe(sentence('autotranslate.undone-already'));
    expect(late.controls).toHaveLength(1);
    expect(labelled(late, 'settings.back')).toBeDefined();
  });
});

describe('what a link had replaced', () => {
  const own = watchOf(HERE, { mode: 'thread', languages: ['ja'] });
  const press = `autotranslate former:100/end-100`;
  const before = { before: `${sentence('autotranslate.modes.thread')} · Japanese` };
  const listed = () => harness().services.watches.list(SPACE);
  const end = async () => {
    harness().script.formers = { 100: { id: 'end-100', watch: own } };
    await harness().run('autotranslate mirror', { channels: '<#100> en <#2> es' });
    return harness().run('autotranslate off');
  };
  const named = (channel: string) => sentence('autotranslate.former', { channel, ...before });

  it('is offered to whoever ended it, beside Undo and to set it up anew, and set by one press', async () => {
    const { text, controls = [] } = await end();
    expect(text).toContain(named('<#100>'));
    expect(controls.map((each) => each.press.split(':')[0])).toEqual([
      'autotranslate restore',
      'autotranslate former',
      'autotranslate open',
    ]);
    const back = await harness().press('autotranslate.former-back');
    expect(back.text).toContain(sentence('autotranslate.former-restored'));
    expect(back.text).toContain('<#100>');
    expect(listed()).toEqual([own]);
    expect(harness().script.toldOf).toMatchObject({ name: 'Ada' });
    expect(labelled(back, 'settings.back')).toBeDefined();
  });

  it('is brought back by a press under the notice, which then says so to all', async () => {
    await end();
    await harness().services.spaces.change(SPACE, { rules: { reading: 'ja' } });
    const { text, controls = [] } = await harness().pressNamed(press);
    expect(text).toContain(sentence('autotranslate.former-restored', {}, 'ja'));
    expect(controls).toEqual([]);
    expect(listed()).toEqual([own]);
  });

  it.each(['off', 'page'])('is offered in the panel, and the channel is told: %s', async (name) => {
    await end();
    if (name === 'off')
      await harness().run('autotranslate mirror', { channels: '<#100> en <#2> es' });
    const shown = await harness().pressNamed(`autotranslate ${name}:100`);
    expect(shown.text).toContain(named('<#100>'));
    const back = await harness().press('autotranslate.former-back');
    expect(labelled(back, 'settings.back')).toBeDefined();
    expect(harness().script.toldOf).toMatchObject({ name: 'Ada' });
    expect(listed()).toEqual([own]);
  });

  it('is not brought back by who may not, nor by a forged press, nor where something is set since', async () => {
    await end();
    await harness().pressNamed(press, { member: BOB });
    for (const access of ['none', 'see'] as const) {
      harness().script.access = { 100: access };
      await harness().pressNamed(press);
    }
    harness().script.access = {};
    for (const forged of ['former:', 'former:100', 'former:100/end-2', 'former:3/end-100'])
      await harness().pressNamed(`autotranslate ${forged}`);
    expect(listed()).toEqual([]);
    await harness().run('autotranslate reply', { languages: 'es' });
    const { text } = await harness().pressNamed(press);
    expect(text).toContain(sentence('autotranslate.former-over', { channel: '<#100>' }));
    expect(listed()).toMatchObject([{ mode: 'reply', languages: ['es'] }]);
  });

  it('is not offered where it is not known', async () => {
    await harness().run('autotranslate mirror', { channels: '<#100> en <#2> es' });
    const answer = await harness().run('autotranslate off');
    expect(labelled(answer, 'autotranslate.former-back')).toBeUndefined();
    const page = await harness().pressNamed('autotranslate page:100');
    expect(labelled(page, 'autotranslate.former-back')).toBeUndefined();
  });

  it('keeps nobody from reading that it is off where it can’t be found out', async () => {
    harness().services.endedWatches.former = async () => {
      throw new Error('the database is away');
    };
    const { text, controls = [] } = await end();
    expect(text).toContain(sentence('autotranslate.off', { channel: '<#100>' }));
    expect(labelled({ controls }, 'autotranslate.wizard-undo')).toBeDefined();
  });
});
