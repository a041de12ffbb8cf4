import { expect, it } from 'vitest';
import { sentence, sentenceLike } from '../fakes/sentences.ts';
import type { FakeUser } from '../fakes/slack/index.ts';
import { SCOPES } from '../../adapters/slack/scopes.ts';
import { NAMING } from '../../adapters/slack/manifest.ts';
import { withSlackBot, type Place } from './support.ts';

const bot = withSlackBot();
const MAKES = [...Object.keys(SCOPES), 'channels:manage'];

/** A place in a workspace of its own, whose app has these scopes. */
const placeWith = async (scopes: readonly string[]): Promise<Place> => {
  bot.workspace.reinstall(scopes);
  await bot.stop();
  await bot.start();
  return bot.place();
};

/** What somebody sees of a wizard, and pressing in it. */
const startWizard = async (at: Place, by: FakeUser = at.admin) => {
  const { channel } = at;
  await bot.use(at, 'autotranslate wizard', {
    by,
    part: sentence('autotranslate.wizard-how', { kind: 'channel' }),
  });
  const shown = () => channel.ephemeralsFor(by).at(-1)!;
  const pressOf = (word: string): string =>
    new RegExp(`autotranslate ${word}:[0-9a-f-]+`, 'u').exec(JSON.stringify(shown()))?.[0] ?? '';
  return {
    shown,
    pressOf,
    choose: (word: string, values: readonly string[]) =>
      bot.slack.act(by, shown(), pressOf(word), {
        selected_options: values.map((value) => ({ value })),
      }),
    press: (word: string) => bot.slack.act(by, shown(), pressOf(word)),
    until: (part: string | RegExp) =>
      bot.slack.until(() => new RegExp(part, 'u').test(JSON.stringify(shown()))),
  };
};

const channelsFor = (name: string) =>
  bot.workspace.channels.filter((channel) => channel.state.name.startsWith(`${name}-`));

it('public channels are made and linked, and messages go between them', async () => {
  const at = await placeWith(MAKES);
  const wizard = await startWizard(at);
  wizard.choose('into', ['es', 'ja']);
  await wizard.until('autotranslate make:');
  wizard.press('make');
  await wizard.until(sentence('autotranslate.wizard-done', { kind: 'channel' }));
  const made = channelsFor(at.channel.state.name);
  expect(made.map(({ state }) => state.name.slice(at.channel.state.name.length))).toEqual([
    '-español',
    '-日本語',
  ]);
  at.channel.say(at.ann, 'good morning everybody');
  await made[0]!.until((posts) => posts.some(({ words }) => words.includes('es:good morning')));
});

it('who can give the scope that is missing is said at once, and nothing is offered', async () => {
  const at = await placeWith(Object.keys(SCOPES));
  const wizard = await startWizard(at);
  const lacking = sentence('slack.may-not-make', { permissions: 'channels:manage' }, 'en', NAMING);
  await wizard.until(lacking.slice(-40));
  wizard.choose('into', ['es']);
  await wizard.until('español');
  expect(JSON.stringify(wizard.shown())).toContain('channels:manage');
  expect(JSON.stringify(wizard.shown())).not.toContain('autotranslate make:');
});

it('what was made before a refusal is archived where that is undone', async () => {
  const at = await placeWith(MAKES);
  const wizard = await startWizard(at);
  wizard.choose('into', ['es', 'ja']);
  await wizard.until('autotranslate make:');
  bot.slack.fail(
    'conversations.create',
    { error: 'restricted_action' },
    {
      while: (args) => String(args['name']).includes('日本'),
    },
  );
  wizard.press('make');
  await wizard.until('autotranslate undo:');
  expect(JSON.stringify(wizard.shown())).toMatch(sentenceLike('autotranslate.wizard-unfinished'));
  wizard.press('undo');
  await wizard.until(sentence('autotranslate.wizard-undone').slice(0, 20));
  expect(channelsFor(at.channel.state.name).map(({ state }) => state.archived)).toEqual([true]);
});

it('a private channel gets none that everybody could read', async () => {
  const at = await placeWith(MAKES);
  const secret = bot.workspace.channel({ kind: 'private', members: [at.admin.state] });
  const wizard = await startWizard({ ...at, channel: secret });
  wizard.choose('into', ['es']);
  await wizard.until('autotranslate make:');
  wizard.press('make');
  await wizard.until(secret.id);
  expect(channelsFor(secret.state.name)).toEqual([]);
});

it('a channel that is deleted is told as such, and the rest is made', async () => {
  const at = await placeWith(MAKES);
  const { admin, workspace, channel } = at;
  const gone = workspace.channel({ name: 'short-lived', members: [admin] });
  const wizard = await startWizard(at);
  bot.slack.act(admin, wizard.shown(), wizard.pressOf('sources'), {
    selected_conversations: [gone.id, channel.id],
  });
  await wizard.until(`initial_conversations":\\["${gone.id}`);
  wizard.choose('into', ['es']);
  await wizard.until('autotranslate make:');
  gone.delete();
  wizard.press('make');
  await wizard.until(sentence('watch.deleted', { channel: '' }));
  expect(JSON.stringify(wizard.shown())).not.toContain('/invite');
  await wizard.until('autotranslate make:');
  wizard.press('make');
  await wizard.until(sentence('autotranslate.wizard-done', { kind: 'channel' }));
  expect(channelsFor(channel.state.name)).toHaveLength(1);
});
