const { data, meta } = { data: [{ title: 'Sign-in fails on Safari' }], meta: { hasNextPage: false } };

export const titles: Array<string | null> = data.map(({ title }) => title);
export const more: boolean | null = meta.hasNextPage;
