import { createSlackProcess } from './slack-bot.ts';
import { pictureOfBlocks, pictureOfView } from './slack/picture.ts';
import type { FakeUser } from './slack/index.ts';

/** Commands whose modals are shown, each as it is typed without what it needs. */
const TYPED = [
  'translate',
  'transcribe',
  'say',
  'ask',
  'glossary add',
  'why',
  'autotranslate reply',
  'autotranslate add',
  'autotranslate rules',
];

/**
 * The text of docs/slack-screens.md: what people see of App Home and of the modals. The program runs on
 * a fake of Slack, which refuses what Slack would not show.
 */
export const slackScreens = async (): Promise<string> => {
  await using bot = await createSlackProcess({ speed: 50 });
  const { slack, workspace, admin } = bot;
  await bot.start();
  const ann = workspace.user({ name: 'ann', displayName: 'Ann' });
  const channel = workspace.channel({ name: 'general', members: [admin, ann] });
  await bot.use(channel, 'autotranslate reply languages:es,ja');
  await bot.use(channel, 'glossary add term:Dragoman translation:Dragoman');

  const homeOf = async (user: FakeUser): Promise<string> => {
    user.openHome();
    await slack.until(() => user.home.length > 0);
    return pictureOfBlocks(user.home);
  };
  const modalOf = async (typed: string): Promise<string> => {
    slack.command(admin, channel, '/dragoman', typed);
    const view = await slack.until(() => admin.modal !== undefined).then(() => admin.modal!);
    slack.close(admin);
    return pictureOfView(view.content);
  };

  /** People see a channel's name where Slack's blocks have its id. */
  const named = (picture: string): string => picture.replaceAll(channel.id, '#general');
  const section = (title: string, picture: string): string =>
    `## ${title}\n\n\`\`\`\n${named(picture).replaceAll(/ +$/gm, '')}\n\`\`\`\n`;

  const sections = [
    section('App Home of a member', await homeOf(ann)),
    section('App Home of a moderator', await homeOf(admin)),
  ];
  for (const typed of TYPED) sections.push(section(`/dragoman ${typed}`, await modalOf(typed)));

  return `# What people see in Slack\n\nMade by \`npm run slack-screens\`.\n\n${sections.join('\n')}`;
};
