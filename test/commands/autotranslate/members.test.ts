import { describe, expect, it } from 'vitest';
import { blockKey } from '../../../src/store/blocks.ts';
import { watchOf } from '../../fakes/autotranslate.ts';
import { HERE, labelled } from '../../fakes/command-harness.ts';
import { sentence } from '../../fakes/sentences.ts';
import { BOB, useCommandHarness } from '../support.ts';
import { memberElsewhere } from './support.ts';

const harness = useCommandHarness();
const KEY = 'slack C9';

const open = async (isMuted = false, mayRemove = true) => {
  await harness().services.watches.set([watchOf(HERE)]);
  const name = '#there · tower.example (Slack)';
  harness().script.members = [memberElsewhere({ key: KEY, name, isMuted, mayRemove })];
  return harness().run('autotranslate links');
};

describe('/autotranslate links', () => {
  it('lists linked channels of other servers, and offers what can be done with a chosen one', async () => {
    const { text, controls } = await open();
    expect(text).toContain('#there · tower.example (Slack)');
    expect(labelled({ ...(controls && { controls }) }, 'members.mute')).toBeUndefined();
    await harness().press('members.choose', [KEY]);
    await harness().press('members.mute');
    await harness().press('members.choose', [KEY]);
    const asked = await harness().press('members.remove');
    expect(asked.text).toContain(
      sentence('members.sure', { name: '#there · tower.example (Slack)' }),
    );
    expect(harness().script.decided).toEqual([`mute ${KEY}`]);
    const { text: removed } = await harness().press('members.remove');
    expect(removed).toContain(sentence('autotranslate.copies-stay'));
    expect(harness().script.decided).toEqual([`mute ${KEY}`, `expel ${KEY}`]);
  });

  it('offers no removal of who was in the group before, says why, and asks nothing when that is forged', async () => {
    await open(false, false);
    const { text, controls } = await harness().press('members.choose', [KEY]);
    expect(labelled({ ...(controls && { controls }) }, 'members.remove')).toBeUndefined();
    expect(text).toContain(sentence('members.not-removable'));
    const forged = await harness().pressNamed(`autotranslate expelsure:${HERE.id}|${KEY}`);
    expect(forged.text).not.toContain(
      sentence('members.sure', { name: '#there · tower.example (Slack)' }),
    );
  });

  it('offers to end what is muted', async () => {
    expect((await open(true)).text).toContain(
      sentence('members.muted', { channel: `<#${HERE.id}>` }),
    );
    await harness().press('members.choose', [KEY]);
    await harness().press('members.unmute');
    expect(harness().script.decided).toEqual([`unmute ${KEY}`]);
  });

  it('offers to agree to who came into the group, in the page and in the notice, which says who did', async () => {
    await open();
    harness().script.members = harness().script.members.map((each) => ({
      ...each,
      unagreed: 'here' as const,
    }));
    const { text } = await harness().press('members.choose', [KEY]);
    expect(text).toContain(sentence('members.unagreed-here'));
    await harness().press('autotranslate.link-yes');
    const { text: sure } = await harness().pressNamed(`autotranslate keepout:${HERE.id}|${KEY}`);
    expect(sure).toContain(sentence('members.sure', { name: '#there · tower.example (Slack)' }));
    const question = await harness().pressNamed(`autotranslate letin:${HERE.id}|${KEY}`);
    const channels = { list: ['#there · tower.example (Slack)'] };
    expect(question.text).toBe(
      sentence('autotranslate.let-in', { name: 'Ada', channels, count: 1 }),
    );
    expect(question.controls).toBeUndefined();
    await harness().pressNamed(`autotranslate letin:${HERE.id}|${KEY}`, { member: BOB });
    expect(harness().script.decided).toEqual([`agree ${KEY}`, `agree ${KEY}`]);
  });

  it('names all channels that were let in by one press, and says where the other side has to agree yet', async () => {
    await open();
    const letIn = async (unagreed: 'here' | 'elsewhere') => {
      const of = (id: string) => memberElsewhere({ key: `slack ${id}`, name: `#${id}`, unagreed });
      harness().script.members = [of('C9'), of('C8')];
      return (await harness().pressNamed(`autotranslate letin:${HERE.id}|${KEY}`)).text;
    };
    const channels = { list: ['#C9', '#C8'] };
    expect(await letIn('here')).toBe(
      sentence('autotranslate.let-in', { name: 'Ada', channels, count: 2 }),
    );
    expect(await letIn('elsewhere')).toBe(
      sentence('autotranslate.unagreed-elsewhere', { channels: { list: ['#C9'] } }),
    );
  });

  it('offers to pause for the whole group who joined later, and to end that', async () => {
    await open();
    await harness().press('members.choose', [KEY]);
    await harness().press('members.hold');
    const held = { held: 'here', isPaused: true, mayRemove: false } as const;
    harness().script.members = [memberElsewhere({ key: KEY, ...held })];
    const { text } = await harness().press('members.choose', [KEY]);
    expect(text).toContain(sentence('members.held'));
    expect(text).toContain(sentence('members.paused'));
    await harness().press('members.unhold');
    expect(harness().script.decided).toEqual([`hold ${KEY}`, `unhold ${KEY}`]);
  });

  it('offers to remove all channels of a server at once, where it has several', async () => {
    await open();
    const server = { name: 'tower.example (Slack)', channels: 3 };
    harness().script.members = harness().script.members.map((each) => ({ ...each, server }));
    await harness().press('members.choose', [KEY]);
    const { controls } = await harness().press('members.remove');
    const label = sentence('members.remove-all', { server: server.name, count: 3 });
    expect(controls?.map((control) => control.label)).toContain(label);
    await harness().pressNamed(`autotranslate expelall:${HERE.id}|${KEY}`);
    expect(harness().script.decided).toEqual([`expel all of ${KEY}`]);
  });

  it('is decided by moderators who may write in the channel alone', async () => {
    await open();
    const press = `autotranslate expel:${HERE.id}|${KEY}`;
    await harness().pressNamed(press, { member: BOB });
    harness().script.access = { [HERE.id]: 'none' };
    await harness().pressNamed(press);
    expect(harness().script.decided).toEqual([]);
  });

  it('leads to the people whose copies are stopped: more by their id, and shown again', async () => {
    await open();
    const { services } = harness();
    const listed = async () =>
      (await services.blocks.list(HERE.space)).map(({ key }) => key).toSorted();
    expect((await harness().press('blocks.open')).text).toBe(
      sentence('blocks.none', { entry: sentence('commands.why.menu') }),
    );
    expect((await harness().press('blocks.by-id', ['no id!'])).text).toContain(
      sentence('blocks.no-id'),
    );
    // A name, or an ID that nobody has, stops nobody.
    expect((await harness().press('blocks.by-id', ['Mallory'])).text).toContain(
      sentence('blocks.no-id'),
    );
    harness().script.silentSpaces = ['Mar Azul (Discord)', '+3'];
    expect((await harness().press('blocks.by-id', ['U0EVE'])).text).toMatch(/Mar Azul.*\+3/);
    expect(await listed()).toEqual([]);
    const name = 'Eve · tower.example (Slack)';
    harness().script.people = ['slack', 'test'].map((platform) => ({
      platform,
      id: 'U0EVE',
      name,
    }));
    expect((await harness().press('blocks.by-id', [' U0EVE '])).text).toContain(name);
    const keys = ['slack', 'test'].map((platform) => blockKey({ platform, id: 'U0EVE' }));
    expect(await listed()).toEqual(keys.toSorted());
    await harness().press('blocks.show', [keys[0]!]);
    expect(await listed()).toEqual([keys[1]]);
    expect((await harness().press('settings.back')).text).toContain(
      sentence('members.heading', { channel: `<#${HERE.id}>` }),
    );
  });
});
