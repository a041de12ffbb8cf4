import { afterEach, describe, expect, it } from 'vitest';
import { createServiceKey } from '../../../src/api/keys.ts';
import { serviceError } from '../../../src/api/service-error.ts';
import { AppError } from '../../../src/errors.ts';
import {
  labelled,
  openCommandHarness,
  SPACE,
  type CommandHarness,
} from '../../fakes/command-harness.ts';
import { sentence } from '../../fakes/sentences.ts';
import { useCommandHarness } from '../support.ts';

const KEY = 'svck:distinctive-key';
const harness = useCommandHarness();
const refusal = (status: number): AppError =>
  serviceError(status, undefined, '', createServiceKey(KEY, { isOwn: true }));

const openPage = async () => {
  await harness().run('settings');
  return harness().press('settings.key');
};
const enter = (typed: string) => harness().press('settings.key-enter', [typed]);
const state = () => harness().services.spaceKeys.state(SPACE);

describe('the key in /settings', () => {
  it('is set, replaced and removed, and never shown', async () => {
    const before = await openPage();
    expect(before.text).toContain(sentence('settings.key-none'));
    expect(labelled(before, 'settings.key-remove')).toBeUndefined();
    const set = await enter(` ${KEY}\n`);
    expect(set.text).toContain('Ada');
    expect(await state()).toMatchObject({ setBy: 'Ada' });
    await harness().press('settings.key-replace', [`${KEY}-2`]);
    const front = await harness().press('settings.back');
    expect(front.text).toContain('Ada');
    await harness().press('settings.key');
    const removed = await harness().press('settings.key-remove');
    expect(removed.text).toContain(sentence('settings.key-none'));
    expect(await state()).toBeUndefined();
    expect(JSON.stringify(harness().shown)).not.toContain('distinctive');
  });

  it.each([
    ['svck', 'settings.key-malformed', undefined],
    ['svck:with space', 'settings.key-malformed', undefined],
    [KEY, 'settings.key-rejected', refusal(401)],
    [KEY, 'settings.key-no-credit', refusal(402)],
    [KEY, 'settings.key-unchecked', refusal(503)],
    [KEY, 'settings.key-unchecked', refusal(429)],
    [KEY, 'settings.key-unchecked', new AppError('timeout', 'late')],
  ] as const)('is not set to %j: %s', async (typed, key, fault) => {
    await openPage();
    harness().script.keyFault = fault;
    const content = await enter(typed);
    expect(content.text).toContain(sentence(key));
    expect(content.text).not.toContain('distinctive');
    expect(await state()).toBeUndefined();
  });

  it('stays when another one is refused', async () => {
    await openPage();
    await enter(KEY);
    harness().script.keyFault = refusal(401);
    await harness().press('settings.key-replace', ['svck:other']);
    expect(await state()).toMatchObject({ setBy: 'Ada' });
  });

  it('is for moderators alone', async () => {
    await openPage();
    const asking = { member: { role: 'member' } } as const;
    const content = await harness().press('settings.key-enter', [KEY], asking);
    expect(content.text).toContain(sentence('errors.needs-moderator', { platform: 'test' }));
    expect(await state()).toBeUndefined();
  });

  it('is asked for in a form, with nothing typed in a command line', () => {
    const info = harness().commands.find(({ name }) => name === 'settings');
    expect(info?.forms).toContainEqual({
      press: 'settings key',
      title: sentence('settings.key-enter'),
      label: sentence('settings.key'),
      hint: sentence('settings.key-hint'),
      maxChars: 1_000,
    });
  });
});

describe('a key that the service refuses', () => {
  const refused = { is: 'refused' } as const;

  it('is told to moderators in /settings and /status', async () => {
    await openPage();
    await enter(KEY);
    harness().script.keyTrouble = refused.is;
    const said = `❌ ${sentence('service.bad-own-key')} ${sentence('remedies.own-key')}`;
    expect((await harness().run('settings')).text).toContain(said);
    expect((await harness().run('status')).text).toContain(said);
    const asking = { member: { role: 'member' } } as const;
    const { text } = await harness().run('status', {}, asking);
    expect(text).not.toContain(sentence('service.bad-own-key'));
    harness().script.keyTrouble = undefined;
    expect((await harness().run('status')).text).toContain(`✅ ${sentence('status.own-key')}`);
  });
});

describe('without ENCRYPTION_KEY', () => {
  let bare: CommandHarness | undefined;
  afterEach(() => bare?.[Symbol.asyncDispose]());

  it('the operator is said to have to set it, and there is nothing to press', async () => {
    bare = await openCommandHarness([]);
    await bare.run('settings');
    const page = await bare.press('settings.key');
    expect(page.text).toContain(sentence('remedies.encryption-key'));
    expect(labelled(page, 'settings.key-enter')).toBeUndefined();
  });
});
