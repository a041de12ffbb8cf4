/** Page of a person's apps at Slack. */
export const APPS = 'https://api.slack.com/apps';

/** Page of the app's settings. */
export const pageOf = (page: string, appId: string | undefined): string =>
  appId === undefined ? `${APPS} (your app, "${page}")` : `${APPS}/${appId}/${page}`;
