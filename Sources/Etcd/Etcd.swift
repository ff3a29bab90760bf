/// Placeholder.
enum Etcd {}
