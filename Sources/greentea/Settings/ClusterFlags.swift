import ArgumentParser
import Configuration

/// The flags of a node in a cluster.
struct ClusterFlags: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The addresses of etcd, which orders the events of several nodes; such as https://etcd-1:2379,https://etcd-2:2379.",
            discussion: "All nodes have copies of one folder with its keys, the same master key and the same settings. One of them writes; "
                + "another one takes its place within seconds. See greentea cluster --help.", valueName: "urls"))
    var cluster: String?

    @Option(help: ArgumentHelp("This node's name in the cluster; by default the first part of the host's.", valueName: "name"))
    var node: String?

    @Option(help: ArgumentHelp("This node's address for the other nodes, such as https://tea-1.example.", valueName: "url"))
    var advertise: String?

    @Option(help: ArgumentHelp("The certificates (PEM) by which etcd is known; by default the system's.", valueName: "file"))
    var clusterCA: String?

    @Option(help: ArgumentHelp("The certificate (PEM) that etcd asks this node for.", valueName: "file"))
    var clusterCertificate: String?

    @Option(help: ArgumentHelp("That certificate's private key (PEM).", valueName: "file"))
    var clusterKey: String?

    @Option(help: ArgumentHelp("The user of etcd, if it asks for one.", valueName: "name"))
    var clusterUser: String?

    @Option(help: ArgumentHelp("The file with that user's password.", valueName: "file"))
    var clusterPasswordFile: String?

    var texts: [(Setting, String?)] {
        [
            (.cluster, cluster), (.node, node), (.advertise, advertise), (.clusterCa, clusterCA), (.clusterCertificate, clusterCertificate),
            (.clusterKey, clusterKey), (.clusterUser, clusterUser), (.clusterPasswordFile, clusterPasswordFile),
        ]
    }
}
