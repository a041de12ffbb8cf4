import { describe, expect, it } from 'vitest';
import type { Json } from '../fakes/slack/json.ts';
import type { FakeUser } from '../fakes/slack/index.ts';
import { withSlackBot } from './support.ts';

const bot = withSlackBot();

const headersOf = (user: FakeUser): readonly unknown[] =>
  user.home.filter(({ type }) => type === 'header').map((block) => (block['text'] as Json)['text']);

const opened = async (user: FakeUser): Promise<void> => {
  user.openHome();
  await bot.slack.until(() => user.home.length > 0);
};

const homeOf = (user: FakeUser) => {
  const view = user.homeView;
  if (!view) throw new Error('there is no App Home');
  return view;
};

describe('App Home', () => {
  it('shows everybody their own settings, and moderators those of the workspace', async () => {
    const { ann, admin } = bot.place();
    await opened(ann);
    await opened(admin);
    expect(headersOf(ann)).toHaveLength(4);
    expect(headersOf(admin)).toHaveLength(8);
  });

  it('does what a control says, and shows what became of it', async () => {
    const { ann } = bot.place();
    await opened(ann);
    bot.slack.act(ann, homeOf(ann), 'privacy out');
    await bot.slack.until(() => JSON.stringify(ann.home).includes('"privacy in"'));
    expect(headersOf(ann)).toHaveLength(4);
    bot.slack.act(ann, homeOf(ann), 'privacy in');
    await bot.slack.until(() => JSON.stringify(ann.home).includes('"privacy out"'));
  });

  it('shows in every part what was changed in one of them, or in a form', async () => {
    const at = bot.place();
    const { admin } = at;
    await bot.use(at, 'autotranslate reply languages:es');
    await opened(admin);
    const listed = (): number => JSON.stringify(admin.home).split('Spanish').length - 1;
    const before = listed();
    const { id } = at.channel;
    bot.slack.act(admin, homeOf(admin), 'autotranslate page', { selected_conversation: id });
    await bot.slack.until(() => JSON.stringify(admin.home).includes(`autotranslate pause:${id}`));
    bot.slack.act(admin, homeOf(admin), `autotranslate pause:${id}`);
    const settings = (): string =>
      JSON.stringify(
        admin.home.slice(admin.home.findIndex((each) => JSON.stringify(each).includes('Settings'))),
      );
    await bot.slack.until(() => / · paused/.test(settings()));
    expect(before).toBeGreaterThan(0);
  });

  it('keeps the page that somebody turned to in one part when another part is pressed', async () => {
    const at = bot.place();
    const { admin } = at;
    await bot.use(at, 'autotranslate reply languages:es');
    await opened(admin);
    const { id } = at.channel;
    const pausing = `autotranslate pause:${id}`;
    const shows = (part: string) => JSON.stringify(admin.home).includes(part);
    bot.slack.act(admin, homeOf(admin), 'autotranslate page', { selected_conversation: id });
    await bot.slack.until(() => shows(pausing));
    bot.slack.act(admin, homeOf(admin), 'privacy out');
    await bot.slack.until(() => shows('"privacy in"'));
    expect(shows(pausing)).toBe(true);
  });

  it('shows the chart of usage as a picture, which is uploaded again only when it changed', async () => {
    const at = bot.place();
    const { admin } = at;
    const pictureIn = (): unknown =>
      (admin.home.find(({ type }) => type === 'image')?.['slack_file'] as Json | undefined)?.['id'];
    const deleted = (): number =>
      bot.slack.requests.filter(({ method }) => method === 'files.delete').length;
    /** Opens App Home until it is as `holds` wants: usage is counted a moment after an answer. */
    const openUntil = async (holds: () => boolean): Promise<void> =>
      expect
        .poll(async () => {
          const { hash } = admin.homeView ?? {};
          admin.openHome();
          await bot.slack.until(() => admin.homeView?.hash !== hash);
          return holds();
        })
        .toBe(true);
    await bot.use(at, 'translate to:es text:"one two three"', { part: 'es:' });
    await openUntil(() => pictureIn() !== undefined);
    // By their names: a mention could notify them.
    expect(JSON.stringify(admin.home)).toContain('@admin');
    expect(JSON.stringify(admin.home)).not.toContain(`<@${admin.id}`);
    const first = pictureIn();
    await openUntil(() => true);
    expect([pictureIn(), deleted()]).toEqual([first, 0]);
    await bot.use(at, 'translate to:es text:"four five six and seven"', { part: 'es:four' });
    await openUntil(() => pictureIn() !== first);
    await bot.slack.until(() => deleted() === 1);
  });

  it('opens the modal of a command, and answers in a direct message', async () => {
    const { admin, workspace } = bot.place();
    await opened(admin);
    bot.slack.act(admin, homeOf(admin), 'modal:glossary add');
    await bot.slack.until(() => admin.modal !== undefined);
    const blocks = admin.modal?.content['blocks'] as readonly Json[];
    // All channels are meant where none is chosen.
    expect(blocks.find((block) => block['block_id'] === 'channel')).toMatchObject({
      optional: true,
    });
    await bot.slack.submit(admin, {
      term: { value: { type: 'plain_text_input', value: 'Harbour' } },
    });
    const direct = workspace.direct(admin);
    await direct.until((posts) => posts.some(({ words }) => words.includes('Harbour')));
  });

  it('sets the language that is chosen in its menu', async () => {
    const { ann } = bot.place();
    await opened(ann);
    bot.slack.act(ann, homeOf(ann), 'language choose', {
      block_id: 'language/1',
      selected_option: { value: 'fr' },
    });
    await bot.slack.until(() => JSON.stringify(ann.home).includes('Your language is French'));
  });
});
