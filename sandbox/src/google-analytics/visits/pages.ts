import { company, customers } from '../../company.js';
import { projects } from '../../projects.js';
import { parts } from '../../topics.js';
import type { Weighted } from './weights.js';

/** A page. */
export interface Page {
  host: string;
  path: string;
  /** The path with its query. */
  pathAndQuery: string;
  title: string;
  group: string;
}

/** A URL slug; non-Latin letters are kept and percent-encoded. */
export function slug(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase();
  return encodeURIComponent(plain.replaceAll(/[^\p{Letter}\p{Number}]+/gu, '-').replaceAll(/^-+|-+$/g, ''));
}

const website = `www.${company.domain}`;
const helpCentre = `help.${company.domain}`;
const application = `app.${company.domain}`;

function page(weight: number, host: string, path: string, title: string, group: string): Weighted<Page> {
  const bare = path.split('?')[0]!;
  return { weight, value: { host, path: bare, pathAndQuery: path, title: `${title} | ${company.name}`, group } };
}

const shown = projects.filter(({ status }) => status !== 'Canceled' && status !== 'Backlog');
const articles = Object.values(parts).flat();

/** The page of a project. */
export function productPath(project: string): string {
  return `/product/${slug(project)}`;
}

/** Pages of the website and the help center, most visited first. */
export const websitePages: readonly Weighted<Page>[] = [
  page(60, website, '/', company.product, 'Home'),
  page(26, website, '/pricing', 'Pricing', 'Pricing'),
  page(18, website, '/product', 'Product', 'Product'),
  page(8, website, '/signup', 'Start your free month', 'Sign-up'),
  page(6, website, '/signup?plan=team', 'Start your free month', 'Sign-up'),
  page(5, website, '/contact', 'Talk to us', 'Contact'),
  page(4, website, '/careers', 'Careers', 'Company'),
  page(2, website, '/legal/privacy', 'Privacy', 'Legal'),
  page(2, company.domain, '/', company.product, 'Home'),
  ...shown.map(({ name }) => page(4, website, productPath(name), name, 'Product')),
  ...customers.map((name) => page(2, website, `/customers/${slug(name)}`, `How ${name} closes its books`, 'Customers')),
  ...shown.map(({ name }, index) => page(1.5, website, `/blog/${slug(name)}`, `${name}: notes ${index + 1}`, 'Blog')),
  page(12, helpCentre, '/', 'Help centre', 'Help'),
  ...articles.map((name) => page(1.4, helpCentre, `/articles/${slug(name)}`, name, 'Help')),
  ...articles.map((name) => page(0.4, helpCentre, `/search?q=${slug(name)}`, 'Search', 'Help')),
  page(1, website, '/404', 'Page not found', '(not set)'),
];

/** Pages of the application. */
export const applicationPages: readonly Weighted<Page>[] = [
  page(30, application, '/login', 'Log in', 'Access'),
  page(50, application, '/dashboard', 'Dashboard', 'Dashboard'),
  page(24, application, '/invoices', 'Invoices', 'Invoices'),
  page(10, application, '/invoices?status=open', 'Invoices', 'Invoices'),
  page(18, application, '/bank-feeds', 'Bank feeds', 'Banking'),
  page(14, application, '/reconcile', 'Reconcile', 'Banking'),
  page(12, application, '/receipts', 'Receipts', 'Receipts'),
  page(8, application, '/reports/vat', 'VAT report', 'Reports'),
  page(8, application, '/reports/balance', 'Balance', 'Reports'),
  page(6, application, '/settings', 'Settings', 'Settings'),
  page(3, application, '/settings/export', 'Data export', 'Settings'),
  page(2, application, '/settings/single-sign-on', 'Single sign-on', 'Settings'),
];
