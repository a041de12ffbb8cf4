export type MessageKey = keyof typeof import('../locales/en.json', { with: { type: 'json' } });
